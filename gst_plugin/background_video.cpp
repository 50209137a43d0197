#include "background_video.h"

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace sightglass {

namespace {

// A static pad, which lives as long as its element.
GstPad* pad_of(GstElement* element, const char* name) {
  GstPad* pad = gst_element_get_static_pad(element, name);
  gst_object_unref(pad);
  return pad;
}

GstCaps* caps_of(GstPadProbeInfo* info) {
  GstCaps* caps = nullptr;
  if ((info->type & GST_PAD_PROBE_TYPE_EVENT_BOTH) != 0 &&
      GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
  }
  return caps;
}

GstPadProbeReturn drop(GstPad* /*pad*/, GstPadProbeInfo* /*info*/, gpointer /*data*/) { return GST_PAD_PROBE_DROP; }

}  // namespace

BackgroundVideo::BackgroundVideo(GstBin* bin, GstElement* segment, GstElement* next)
    : bin_(bin), segment_(segment), next_(next), segment_source_(pad_of(segment, "src")) {}

GstPad* BackgroundVideo::insert() {
  finish();
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kNone) return nullptr;
  }
  if (!make_elements()) return nullptr;
  const bool linked = link_elements();
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kThere;
  }
  GstPad* entrance = pad_of(upload_, "sink");
  if (linked) return entrance;
  leave(entrance);
  finish();
  return nullptr;
}

bool BackgroundVideo::make_elements() {
  upload_ = gst_element_factory_make("glupload", "background-upload");
  convert_ = gst_element_factory_make("glcolorconvert", "background-convert");
  mixer_ = gst_element_factory_make("glvideomixerelement", "mixer");
  size_ = gst_element_factory_make("capsfilter", "mixed");
  GstElement* const added[] = {upload_, convert_, mixer_, size_};
  if (std::ranges::find(added, nullptr) != std::end(added)) {
    for (GstElement* element : added) {
      if (element != nullptr) gst_object_unref(gst_object_ref_sink(element));
    }
    GST_ELEMENT_ERROR(bin_, CORE, MISSING_PLUGIN,
                      ("a video as background needs glvideomixerelement; Debian has it in gstreamer1.0-gl"), (nullptr));
    return false;
  }
  gst_bin_add_many(bin_, upload_, convert_, mixer_, size_, nullptr);
  return true;
}

bool BackgroundVideo::link_elements() {
  GstPad* back = gst_element_request_pad_simple(mixer_, "sink_%u");
  front_ = gst_element_request_pad_simple(mixer_, "sink_%u");
  // The last frame stays when the other video ends first.
  g_object_set(back, "zorder", 0U, "repeat-after-eos", TRUE, nullptr);
  g_object_set(front_, "zorder", 1U, nullptr);
  gst_util_set_object_arg(G_OBJECT(mixer_), "background", "black");  // of live videos that are late
  g_object_get(segment_, "background", &background_, "alpha", &alpha_, nullptr);
  gst_util_set_object_arg(G_OBJECT(segment_), "background", "transparent");
  gst_util_set_object_arg(G_OBJECT(segment_), "alpha", "straight");
  {
    const std::lock_guard lock(mutex_);
    back_ = back;
    front_width_ = front_height_ = back_width_ = back_height_ = 0;
  }
  gst_element_unlink(segment_, next_);
  const bool linked = gst_element_link(upload_, convert_) != FALSE &&
                      gst_pad_link(pad_of(convert_, "src"), back) == GST_PAD_LINK_OK &&
                      gst_pad_link(segment_source_, front_) == GST_PAD_LINK_OK &&
                      gst_element_link_many(mixer_, size_, next_, nullptr) != FALSE;
  front_probe_ = gst_pad_add_probe(
      segment_source_,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH), on_front, this,
      nullptr);
  gst_pad_add_probe(pad_of(convert_, "src"), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_back, this, nullptr);
  return linked;
}

void BackgroundVideo::leave(GstPad* entrance) {
  GstPad* back = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kThere) return;
    back = std::exchange(back_, nullptr);
  }
  if (back == nullptr) return;
  g_object_set(segment_, "background", background_, "alpha", alpha_, nullptr);
  // What the mixer makes of the foreground alone is not shown. It goes on taking frames: whoever waits to hand it one
  // gets through to pass_by().
  gst_pad_add_probe(pad_of(mixer_, "src"), GST_PAD_PROBE_TYPE_BUFFER, drop, nullptr, nullptr);
  gst_pad_set_active(back, FALSE);
  // Before the elements may be removed, whose pads are not linked then.
  gst_pad_set_active(entrance, FALSE);
  gst_element_release_request_pad(mixer_, back);
  gst_object_unref(back);
  const std::lock_guard lock(mutex_);
  state_ = State::kLeaving;
}

void BackgroundVideo::finish() {
  pass_by();
  remove_elements();
}

// Links the two again; true once. In the thread that is about to push from the first one, which may be relinked then.
bool BackgroundVideo::pass_by() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kLeaving) return false;
  gst_pad_unlink(segment_source_, front_);
  gst_element_unlink(size_, next_);
  gst_pad_link_full(segment_source_, pad_of(next_, "sink"), GST_PAD_LINK_CHECK_NOTHING);  // as they were before
  state_ = State::kPassedBy;
  return true;
}

// Not in a thread that pushes into the elements: it would wait for itself.
void BackgroundVideo::remove_elements() {
  const std::lock_guard removal(removal_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kPassedBy) return;
  }
  gst_pad_remove_probe(segment_source_, front_probe_);
  for (GstElement* element : {mixer_, size_, convert_, upload_}) {
    gst_element_set_locked_state(element, TRUE);  // the bin does not start it again
    gst_element_set_state(element, GST_STATE_NULL);
  }
  gst_element_release_request_pad(mixer_, front_);
  gst_object_unref(front_);
  gst_bin_remove_many(bin_, upload_, convert_, mixer_, size_, nullptr);
  const std::lock_guard lock(mutex_);
  state_ = State::kNone;
}

GstPadProbeReturn BackgroundVideo::on_front(GstPad* /*pad*/, GstPadProbeInfo* info, gpointer self) {
  auto* that = static_cast<BackgroundVideo*>(self);
  if (that->pass_by()) {
    GstElement* bin = GST_ELEMENT(that->bin_);
    gst_element_call_async(
        bin, [](GstElement*, gpointer video) { static_cast<BackgroundVideo*>(video)->remove_elements(); }, that,
        nullptr);
    gst_element_post_message(bin, gst_message_new_latency(GST_OBJECT(bin)));
    // The frame may have been cut out for the mixer, before leave() came.
    return (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  }
  if (GstCaps* caps = caps_of(info)) that->note_caps(true, caps);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn BackgroundVideo::on_back(GstPad* /*pad*/, GstPadProbeInfo* info, gpointer self) {
  if (GstCaps* caps = caps_of(info)) static_cast<BackgroundVideo*>(self)->note_caps(false, caps);
  return GST_PAD_PROBE_OK;
}

// The result has the foreground's size and rate; the other video covers it, its overhang cut off evenly.
void BackgroundVideo::note_caps(bool front, GstCaps* caps) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return;
  std::unique_lock lock(mutex_);
  if (back_ == nullptr) return;
  (front ? front_width_ : back_width_) = info.width;
  (front ? front_height_ : back_height_) = info.height;
  const int width = front_width_, height = front_height_, other_width = back_width_, other_height = back_height_;
  // leave() and who comes after it may let go of both.
  auto* back = GST_PAD(gst_object_ref(back_));
  auto* size_filter = GST_ELEMENT(gst_object_ref(size_));
  lock.unlock();
  if (front) {
    GstCaps* size = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT, info.width,
                                        "height", G_TYPE_INT, info.height, nullptr);
    gst_caps_set_features(size, 0, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
    if (info.fps_n > 0) gst_caps_set_simple(size, "framerate", GST_TYPE_FRACTION, info.fps_n, info.fps_d, nullptr);
    g_object_set(size_filter, "caps", size, nullptr);
    gst_caps_unref(size);
  }
  if (width != 0 && other_width != 0) {
    const double scale = std::max(static_cast<double>(width) / other_width, static_cast<double>(height) / other_height);
    const auto shown_width = static_cast<int>(std::lround(scale * other_width));
    const auto shown_height = static_cast<int>(std::lround(scale * other_height));
    g_object_set(back, "width", shown_width, "height", shown_height, "xpos", (width - shown_width) / 2, "ypos",
                 (height - shown_height) / 2, nullptr);
  }
  gst_object_unref(size_filter);
  gst_object_unref(back);
}

}  // namespace sightglass
