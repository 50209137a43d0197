// Model and compositor on one GL context.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "gpu_engine/device.h"
#include "gpu_engine/gl_api.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "segment/compositor.h"
#include "segment/gpu_timer.h"

namespace sightglass {

// All calls, the destructor included, need the context current.
class Segmenter {
 public:
  // Compiles and uploads everything that the group does not have yet: render() does none of that. `output` is the
  // plan's mask, `kind` what its input was planned for.
  static Result<std::unique_ptr<Segmenter>> create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                   std::shared_ptr<const Plan> plan, size_t output, FrameKind kind);

  // Allocates for upright frames of width × height pixels; forgets the picture. The first time, drivers are made to
  // finish what they leave to the first draw.
  Status resize(int32_t width, int32_t height);
  // The background picture: dense RGBA of the upright frame's size.
  Status set_picture(std::span<const std::byte> rgba) { return compositor_->set_picture(rgba); }

  // Issues all work for one frame and returns without waiting. `upright_to_stored` leads from the upright frame to
  // where it lies in `frame`; `output` is a texture of the upright frame's size. GL state is as found.
  Status render(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                const Look& look);

  // The GPU's time for the latest frame that has become known since the last call.
  std::optional<GpuTimer::Sample> poll_time() { return timer_->poll(); }

 private:
  explicit Segmenter(std::shared_ptr<ShareGroup> group) : group_(std::move(group)), gl_(group_->gl()) {}

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  std::unique_ptr<Session> session_;
  std::optional<Compositor> compositor_;
  std::optional<GpuTimer> timer_;
  TextureRef mask_;
  FrameKind kind_ = FrameKind::kRgba;
  int32_t model_width_ = 0, model_height_ = 0;
  int32_t width_ = 0, height_ = 0;  // of upright frames
  bool warm_ = false;               // the compositor has drawn
};

}  // namespace sightglass
