#include "video/frame_samples.h"

#include <gst/video/video.h>

#include <algorithm>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

// Copies a frame to system memory, so that the original can return to its pool (perhaps of the camera), and its GL
// context can end with the pipeline. Returns null if the frame cannot be mapped.
SamplePtr to_system_memory(GstBuffer* buffer, const GstCaps* caps) {
  GstVideoInfo info, plain;
  GstVideoFrame from, to;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&from, &info, buffer, GST_MAP_READ))
    return nullptr;
  gst_video_info_set_format(&plain, GST_VIDEO_INFO_FORMAT(&info), static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
  plain.par_n = info.par_n;
  plain.par_d = info.par_d;
  plain.fps_n = info.fps_n;
  plain.fps_d = info.fps_d;
  plain.colorimetry = info.colorimetry;
  plain.chroma_site = info.chroma_site;
  GstBuffer* copy = gst_buffer_new_allocate(nullptr, plain.size, nullptr);
  SamplePtr sample;
  if (gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE)) {
    const gboolean copied = gst_video_frame_copy(&to, &from);
    gst_video_frame_unmap(&to);
    GstCaps* plain_caps = gst_video_info_to_caps(&plain);
    if (copied) sample.reset(gst_sample_new(copy, plain_caps, nullptr, nullptr));
    gst_caps_unref(plain_caps);
  }
  gst_buffer_unref(copy);
  gst_video_frame_unmap(&from);
  return sample;
}

}  // namespace

void FrameSamples::watch(GstElement* element) {
  const PadPtr pad(gst_element_get_static_pad(element, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

GstPadProbeReturn FrameSamples::on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const CapsPtr caps(gst_pad_get_current_caps(pad));
  if (caps != nullptr) static_cast<FrameSamples*>(data)->offer(GST_PAD_PROBE_INFO_BUFFER(info), caps.get());
  return GST_PAD_PROBE_OK;
}

void FrameSamples::offer(GstBuffer* buffer, const GstCaps* caps) {
  const std::lock_guard lock(mutex_);
  const uint64_t index = frames_++;
  if (index % stride_ != 0) return;
  if (samples_.size() == kMost) {
    stride_ *= 2;
    for (size_t i = 0; i < kMost / 2; ++i) samples_[i] = std::move(samples_[2 * i]);
    samples_.resize(kMost / 2);
    if (index % stride_ != 0) return;
  }
  if (SamplePtr sample = to_system_memory(buffer, caps)) samples_.push_back(std::move(sample));
}

std::vector<SamplePtr> FrameSamples::take(size_t wanted) {
  const std::lock_guard lock(mutex_);
  std::vector<SamplePtr> chosen;
  const size_t count = std::min(wanted, samples_.size());
  for (size_t i = 0; i < count; ++i) chosen.push_back(std::move(samples_[(2 * i + 1) * samples_.size() / (2 * count)]));
  return chosen;
}

}  // namespace sightglass::video
