// A virtual camera in the frame: it follows people as an operator would, by panning and zooming. Its state is on the
// GPU, which moves it: shaders/segment/camera_*.comp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Whom the camera shows, and where people are known from.
enum class Follow : uint8_t { kNone, kPerson, kGroup };
enum class Sight : uint8_t { kUnknown, kMask, kObjects };

// Maximum number of objects that a camera considers.
inline constexpr int32_t kMostBoxes = 16;

struct CameraStyle {
  Follow follow = Follow::kNone;
  float max_zoom = 2.5F;  // 1 to kMaxCameraZoom
  float margin = 0.12F;   // around people, as a fraction of the view, on each side: 0 to kMaxCameraMargin
  float speed = 1;        // kMinCameraSpeed to kMaxCameraSpeed
};
inline constexpr float kMaxCameraZoom = 8, kMaxCameraMargin = 0.4F, kMinCameraSpeed = 0.1F, kMaxCameraSpeed = 10;
// At a speed of 1: the rate at which the camera reaches its goal, in 1/s, and its maximum speed in heights of the view
// per second.
inline constexpr float kCameraRate = 3.5F, kCameraFastest = 0.7F;

// What is known about people in a frame.
struct SeenPeople {
  Sight sight = Sight::kUnknown;
  BufferRange people{};  // kMask: of PeopleFinder
  InputTransform mask_to_upright{};
  std::vector<std::array<float, 4>> boxes{};  // kObjects: minimum x and y, maximum x and y in the upright frame
};

// All calls, including the destructor, need the context current. They leave GL state as the engine's sessions do, and
// restore other state that drawing changes.
class Camera {
 public:
  // For frames of that kind. Compiles the programs that the group does not have yet, and runs them once, so that
  // drivers finish compiling.
  static Result<Camera> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // The next frame is from another scene: the camera begins where people are. No GL call.
  void reset() { begins_ = true; }
  // Moves the camera to the next frame, `seconds` after the previous one. Aspects are widths over heights, as shown.
  // `noise`: of FramePair, for cuts; no buffer: there is none.
  void move(const CameraStyle& style, const SeenPeople& seen, float frame_aspect, float output_aspect, float seconds,
            const FrameRef& frame, const InputTransform& upright_to_stored, const BufferRange& noise);
  // Fills `output`, which must be renderable, with the view of the frame of move().
  Status draw(const FrameRef& frame, const TextureRef& output);
  // The mask of the view; it covers the output. `mask` is a 2D texture with the probability in R. Valid until the next
  // call. Allocates if the size of the mask changes.
  Result<TextureRef> view_of(const TextureRef& mask, const InputTransform& mask_to_upright);

  // For tests: the block of shaders/segment/camera.glsl.
  BufferRange state() const;

 private:
  struct Params {
    std::array<float, 4> shape{}, pace{};
    std::array<int32_t, 4> who{};
    std::array<float, 8> to_upright{};
    std::array<std::array<float, 4>, kMostBoxes> boxes{};
    bool operator==(const Params&) const = default;
  };
  Camera(const GlApi& gl, std::vector<SharedProgram> programs, SharedProgram draw);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // move, mask
  Painting<FrameBlock> painting_;
  GlBuffer state_, place_, nobody_, no_cut_;
  UniformBlock<Params> params_;
  UniformBlock<std::array<float, 8>> to_mask_;
  GlTexture mask_;
  int32_t mask_width_ = 0, mask_height_ = 0;
  bool begins_ = true;
};

}  // namespace sightglass
