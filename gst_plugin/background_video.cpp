#include "background_video.h"

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

// A static pad, which lives as long as its element.
GstPad* pad_of(GstElement* element, const char* name) {
  GstPad* pad = gst_element_get_static_pad(element, name);
  gst_object_unref(pad);
  return pad;
}

}  // namespace

std::unique_ptr<BackgroundVideo> BackgroundVideo::insert(GstBin* bin, GstElement* segment, GstElement* next) {
  std::unique_ptr<BackgroundVideo> video(new BackgroundVideo(bin, segment, next));
  return video->add_elements() ? std::move(video) : nullptr;
}

bool BackgroundVideo::add_elements() {
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
  back_ = gst_element_request_pad_simple(mixer_, "sink_%u");
  front_ = gst_element_request_pad_simple(mixer_, "sink_%u");
  // The last frame stays when the other video ends first.
  g_object_set(back_, "zorder", 0U, "repeat-after-eos", TRUE, nullptr);
  g_object_set(front_, "zorder", 1U, nullptr);
  g_object_get(segment_, "background", &background_, "alpha", &alpha_, nullptr);
  gst_util_set_object_arg(G_OBJECT(segment_), "background", "transparent");
  gst_util_set_object_arg(G_OBJECT(segment_), "alpha", "straight");

  sink_ = pad_of(upload_, "sink");
  segment_source_ = pad_of(segment_, "src");
  gst_element_unlink(segment_, next_);
  const bool linked = gst_element_link(upload_, convert_) != FALSE &&
                      gst_pad_link(pad_of(convert_, "src"), back_) == GST_PAD_LINK_OK &&
                      gst_pad_link(segment_source_, front_) == GST_PAD_LINK_OK &&
                      gst_element_link_many(mixer_, size_, next_, nullptr) != FALSE;
  front_probe_ = gst_pad_add_probe(segment_source_, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, this, nullptr);
  gst_pad_add_probe(pad_of(convert_, "src"), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, this, nullptr);
  if (!linked) remove();
  return linked;
}

void BackgroundVideo::remove() {
  gst_pad_remove_probe(segment_source_, front_probe_);
  for (GstElement* element : {upload_, convert_, mixer_, size_}) gst_element_set_state(element, GST_STATE_NULL);
  for (GstPad* pad : {front_, back_}) {
    gst_element_release_request_pad(mixer_, pad);
    gst_object_unref(pad);
  }
  gst_bin_remove_many(bin_, upload_, convert_, mixer_, size_, nullptr);
  gst_element_link(segment_, next_);
  g_object_set(segment_, "background", background_, "alpha", alpha_, nullptr);
}

GstPadProbeReturn BackgroundVideo::on_event(GstPad* pad, GstPadProbeInfo* info, gpointer self) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  auto* that = static_cast<BackgroundVideo*>(self);
  that->note_caps(pad == that->segment_source_, caps);
  return GST_PAD_PROBE_OK;
}

// The result has the foreground's size and rate; the other video covers it, its overhang cut off evenly.
void BackgroundVideo::note_caps(bool front, GstCaps* caps) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return;
  if (front) {
    GstCaps* size = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT, info.width,
                                        "height", G_TYPE_INT, info.height, nullptr);
    gst_caps_set_features(size, 0, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
    if (info.fps_n > 0) gst_caps_set_simple(size, "framerate", GST_TYPE_FRACTION, info.fps_n, info.fps_d, nullptr);
    g_object_set(size_, "caps", size, nullptr);
    gst_caps_unref(size);
  }
  GST_OBJECT_LOCK(mixer_);
  (front ? front_width_ : back_width_) = info.width;
  (front ? front_height_ : back_height_) = info.height;
  const int width = front_width_, height = front_height_, other_width = back_width_, other_height = back_height_;
  GST_OBJECT_UNLOCK(mixer_);
  if (width == 0 || other_width == 0) return;
  const double scale = std::max(static_cast<double>(width) / other_width, static_cast<double>(height) / other_height);
  const auto shown_width = static_cast<int>(std::lround(scale * other_width));
  const auto shown_height = static_cast<int>(std::lround(scale * other_height));
  g_object_set(back_, "width", shown_width, "height", shown_height, "xpos", (width - shown_width) / 2, "ypos",
               (height - shown_height) / 2, nullptr);
}

}  // namespace sightglass
