// What glsegment keeps from frame to frame, and the threads that may touch it.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frame_format.h"
#include "latency_meter.h"
#include "mask_attachment.h"
#include "segment/picture.h"
#include "segment/segmenter.h"
#include "segment_properties.h"
#include "sharing.h"

namespace sightglass {

struct SegmentStats {
  uint64_t frames = 0, inferences = 0;
  double model_ns = 0, gpu_ns = 0, cpu_ns = 0;  // moving averages; 0: unknown
  uint64_t start_ns = 0;
};

// A model that is loaded and planned lives from start() to stop(); what lives on a GL context, from attach() to
// detach(). Between these two, contexts may come and go.
class SegmentRuntime {
 public:
  // Streaming or application thread, no GL. Loads the model and checks that it can run.
  Status start(const SegmentSettings& settings);
  void stop();
  // What runs on the CPU and crosses in every frame, for people; empty when nothing does.
  std::string fallback_warning() const;

  // On the GL thread of `context`. attach() compiles, or leaves that to set_caps() while frames are unknown or there is
  // no model: a stopped element may be given a context. detach() may be called from another context's thread.
  Status attach(GstGLContext* context);
  void detach();
  // On the GL thread of `context`: compiles and allocates for frames of this kind.
  Status set_caps(GstGLContext* context, const FrameFormat& input, const GstVideoInfo& output);

  // Streaming thread. Brings the background picture up to date; a warning when it cannot be loaded.
  Status update_picture(const SegmentSettings& settings);
  // Streaming thread. What comes next is another scene: it does not get the mask of frames before.
  void forget_mask();
  // Streaming thread. One frame, issued on the GL thread of the context that attach() was given. An orientation that
  // does not fit the sizes of the caps waits for others.
  Status process(GstBuffer* input, GstBuffer* output, const SegmentSettings& settings, Orientation orientation);

  SegmentStats stats() const;
  uint64_t latency_ns() const;
  // True once after the latency has changed.
  bool take_latency_change();

 private:
  struct Job;
  void run(Job& job);
  Status upload_picture();
  InputTransform upright_to_stored_in(GstBuffer* input, Orientation wanted);
  void note_times(uint64_t cpu_ns, MaskSync mask_sync);

  // Guards everything below; held while a frame is issued.
  mutable std::mutex mutex_;
  std::shared_ptr<SharedModel> model_;
  std::shared_ptr<const Plan> plan_;
  std::string cache_folder_;
  TuningMode tuning_ = TuningMode::kCached;
  Refine refine_ = Refine::kNone;
  bool measures_model_ = false;  // as the element starts
  bool attach_mask_ = false;
  GstGLContext* context_ = nullptr;  // owned reference; set exactly while segmenter_ is
  std::unique_ptr<Segmenter> segmenter_;
  std::unique_ptr<MaskAttachment> masks_;  // where they are asked for
  std::optional<FrameFormat> input_;       // unknown until there are caps
  FrameKind built_for_ = FrameKind::kRgba;
  GstVideoInfo output_{};
  Orientation orientation_ = Orientation::kIdentity;  // of the last frame
  std::shared_ptr<const Picture> picture_;
  std::string picture_location_;
  bool picture_uploaded_ = false;
  uint32_t since_inference_ = 0;  // frames, with the one that it was begun with

  mutable std::mutex stats_mutex_;  // apart, so that reading figures never waits for a frame
  SegmentStats stats_;
  double draw_ns_ = 0;  // moving average of what is not the model's
  LatencyMeter latency_;
  bool latency_changed_ = false;
};

}  // namespace sightglass
