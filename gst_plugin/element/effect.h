// What an element does with its frames on one GL context: the interface of segmentation, poses, inference, and drawing
// without a model. EffectRunner calls it.
#pragma once

#include <gst/gst.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "element/element_settings.h"
#include "gl/frame_format.h"
#include "gl/frame_reader.h"
#include "results/readback.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// One frame. Its buffers are mapped and the input is synchronized.
struct FrameJob {
  UprightFrame frame;
  GLuint output = 0;      // RGBA texture of the upright frame size, or of the element's own size
  FrameSize output_size;  // in pipelines
  GstClockTime time = GST_CLOCK_TIME_NONE;
  std::shared_ptr<const ElementSettings> settings;       // of this frame
  GstBuffer *input = nullptr, *output_buffer = nullptr;  // null outside of pipelines
  uint64_t number = 0;                                   // counted since the element started
  bool counts_skipped = false;                           // whether a later frame is to know Effect::skipped()
  bool objects_wanted = false;                           // by an element downstream (meta/meta_types.h)
  // Set by the effect.
  bool is_new_scene = false;         // in prepare(): the frame is unrelated to the previous ones
  std::shared_ptr<const void> kept;  // what has to live until the frame has been drawn
  // Set by the runner.
  Status failure;               // the reason, if the frame can be shown despite a failure
  bool awaits_results = false;  // its results will arrive
};

// One run of a session.
struct ModelStage {
  Session* session = nullptr;  // inputs are set
  BufferRange flag;            // decides on the GPU whether it runs (Session::run_if()); no buffer: always
  size_t model = 0;            // of the session, below kMostModels
};

// A mask to attach to a frame.
struct ShownMask {
  TextureRef texture;
  InputTransform to_upright;  // its position in the upright frame
  float threshold = 0.5F;     // of GstAnalyticsSegmentationMtd
  int32_t objects = 0;        // 0: one foreground; otherwise G has the number of an object, from 1 to this, as a byte
};

// What a frame shows: the last result, or the frame or only its background, if there is no result.
enum class Shown : uint8_t { kResult, kFrame, kBackground };

// All calls except forget(), including the destructor, need the context current. They leave GL state as the engine's
// sessions do; EffectRunner restores the rest, except for attach(). No call waits for the GPU, and only resize() and
// the first frame of a size or a look compile and allocate.
//
// A run of the models is begin_stage(0), a run of its session, end_stage(0), begin_stage(1), and so on. Other frames
// may be drawn in between.
class Effect {
 public:
  virtual ~Effect() = default;

  // Allocates for upright frames of that size, and forgets previous frames.
  virtual Status resize(const FrameSize& size, const ElementSettings& settings) = 0;
  // The next frame is from another scene. No GL call.
  virtual void forget() = 0;
  // Takes the settings of the frame, and what other elements attached to it. A failure ends the stream.
  virtual Status prepare(FrameJob& job) = 0;
  // Number of stages, constant from begin_stage(0) to the last end_stage(). 0: there is no model.
  virtual size_t stages() const { return 1; }
  // Issues all work before the session run. All stages get the same frame.
  virtual Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) = 0;
  // Issues all work after it. The last stage writes the result; until then, the previous result is unchanged.
  virtual Status end_stage(size_t stage) = 0;
  // Draws the frame into `output`.
  virtual Status draw(const UprightFrame& frame, GLuint output, Shown shown) = 0;
  // Attaches metadata of the effect to the output, which is writable, after a frame was drawn with a result. Returns
  // the mask, if masks are to be attached.
  virtual Result<std::optional<ShownMask>> attach(const FrameJob& /*job*/) { return std::optional<ShownMask>(); }

  // Constant, except for `found`, whose size is.
  struct Traits {
    FrameLife life = FrameLife::kOneFrame;  // kKept: stages after the first one read the frame
    bool warms_up = false;                  // draw an empty frame first, so that drivers finish compiling
    TextureRef mask;                        // masks of this size will be attached; ID 0: probably none
    BufferRange found;                      // the result of the last run for the application
    ResultsReadback::Decode decode;         // from its bytes; null: applications get no results
  };
  const Traits& traits() const { return traits_; }
  // The number of complete runs, and how many of them the GPU skipped, as far as known.
  uint64_t inferences() const { return inferences_; }
  uint64_t skipped() const { return skipped_; }

 protected:
  explicit Effect(std::shared_ptr<ShareGroup> group) : group_(std::move(group)), gl_(group_->gl()) {}

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  Traits traits_;
  uint64_t skipped_ = 0;

 private:
  friend class EffectRunner;  // counts runs
  uint64_t inferences_ = 0;
};

}  // namespace sightglass
