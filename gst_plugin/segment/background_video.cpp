#include "segment/background_video.h"

#include "segment/background_matcher.h"

namespace sightglass {

void BackgroundVideo::insert() {
  const std::lock_guard lock(mutex_);
  if (matcher_ != nullptr) return;
  upload_ = gst_element_factory_make("glupload", "background-upload");
  convert_ = gst_element_factory_make("glcolorconvert", "background-convert");
  matcher_ = GST_ELEMENT(g_object_new(gst_gl_background_matcher_get_type(), "name", "background-matcher", nullptr));
  gst_bin_add_many(bin_, upload_, convert_, matcher_, nullptr);
  gst_element_unlink(before_, segment_);
  gst_element_link(upload_, convert_);
  gst_element_link_pads(before_, "src", matcher_, "sink");
  gst_element_link_pads(matcher_, "src", segment_, "sink");
}

void BackgroundVideo::remove() {
  const std::lock_guard lock(mutex_);
  if (matcher_ == nullptr || back_ != nullptr) return;
  for (GstElement* element : {upload_, convert_, matcher_}) {
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(bin_, element);
  }
  upload_ = convert_ = matcher_ = nullptr;
  gst_element_link(before_, segment_);
}

GstPad* BackgroundVideo::enter() {
  const std::lock_guard lock(mutex_);
  if (matcher_ == nullptr || back_ != nullptr) return nullptr;
  back_ = gst_element_request_pad_simple(matcher_, "background");
  gst_element_link_pads(convert_, "src", matcher_, "background");
  GstPad* entrance = gst_element_get_static_pad(upload_, "sink");
  gst_object_unref(entrance);  // the element keeps it alive
  return entrance;
}

void BackgroundVideo::leave(GstPad* entrance) {
  GstPad* back = nullptr;
  GstElement* matcher = nullptr;
  {
    const std::lock_guard lock(mutex_);
    back = back_;
    matcher = matcher_;
  }
  if (back == nullptr) return;
  // Without the lock: these calls wait for a push in progress.
  gst_pad_set_active(back, FALSE);
  gst_pad_set_active(entrance, FALSE);
  gst_element_release_request_pad(matcher, back);
  gst_object_unref(back);
  gst_element_post_message(GST_ELEMENT(bin_), gst_message_new_latency(GST_OBJECT(bin_)));
  const std::lock_guard lock(mutex_);
  back_ = nullptr;
}

}  // namespace sightglass
