// A frame to draw: all shader parameters, and the ground truth. It depends only on seed, time and aspect ratio. It is
// the same on every call, and on every machine whose compiler rounds the same way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "figure/appearance.h"
#include "figure/backdrop.h"
#include "figure/lofts.h"
#include "figure/skeleton.h"
#include "figure/strands.h"

namespace sightglass::figure {

enum class Framing : uint8_t { kSelfie, kHalf, kFull };
// Fine detail is hard to segment: single hairs, translucent sleeves and lenses.
enum class Detail : uint8_t { kPlain, kFine };

// In the order of the COCO dataset.
enum KeyPointIndex : uint8_t {
  kNose,
  kLeftEye,
  kRightEye,
  kLeftEar,
  kRightEar,
  kLeftShoulder,
  kRightShoulder,
  kLeftElbow,
  kRightElbow,
  kLeftWrist,
  kRightWrist,
  kLeftHip,
  kRightHip,
  kLeftKnee,
  kRightKnee,
  kLeftAnkle,
  kRightAnkle,
  kKeyPoints
};
// Visibility as in COCO: 0 outside the frame, 1 inside but hidden, 2 visible.
enum class Visibility : uint8_t { kOutside, kHidden, kVisible };
struct KeyPoint {
  float x = 0, y = 0;  // (0,0) is the top left corner of the frame, (1,1) the bottom right; may be outside
  Visibility visibility = Visibility::kOutside;
  bool operator==(const KeyPoint&) const = default;
};

using Vec4 = std::array<float, 4>;

// The uniform block Figure of shaders/figure/figure_block.glsl, in std140 layout.
struct FigureBlock {
  std::array<Vec4, 4> clip{};  // columns: world to clip space; the top row of the frame is stored first
  Vec4 eye{};
  std::array<Vec4, 4> head{}, chest{};  // axes, origin; w of the first axis is the divisor of lengths
  Vec4 sun{}, sun_color{}, sky{}, ground{}, rim{}, rim_color{};
  Vec4 skin{}, lips{}, iris{}, hair{}, hair_tip{}, headwear{}, plastic{}, glasses{}, scarf{}, shoes{}, tie{}, print{};
  std::array<Vec4, 3> shirt{}, coat{}, trousers{};  // color a, pattern; color b, repeats; rest by garment
  Vec4 face{}, gaze{}, features{}, marks{}, hair_shape{}, hair_more{}, face_mask{}, fine{};
  bool operator==(const FigureBlock&) const = default;
};
// The uniform block Camera of shaders/figure/camera_block.glsl.
struct CameraBlock {
  Vec4 gain{};   // R G B factors; exponent
  Vec4 noise{};  // of brightness, of colors; seed; strength of the vignette
  Vec4 room{};   // aspect; level of detail of the backdrop, whole; softness in pixels; saturation
  Vec4 spot{};   // light on the backdrop: x, y, width; strength
  Vec4 wall{};   // R G B factors of the backdrop; unused
  bool operator==(const CameraBlock&) const = default;
};

struct Moment {
  uint32_t seed = 0;
  double seconds = 0;
  uint64_t frame = 0;              // seeds the noise of the camera
  std::optional<Framing> framing;  // unset: chosen by the seed
  Detail detail = Detail::kPlain;
};

struct Scene {
  Framing framing = Framing::kSelfie;
  Body body;
  Appearance appearance;
  Skeleton bones;
  Lofts lofts;
  std::vector<Strand> strands;
  Backdrop backdrop;
  std::vector<Card> behind, before;  // in focus: directly behind the figure; between it and the camera
  FigureBlock figure;
  CameraBlock camera;
  std::array<KeyPoint, kKeyPoints> key_points;

  // `aspect`: displayed width / height of the frame; `height` in pixels.
  static Scene at(const Moment& moment, float aspect, int32_t height);
};

}  // namespace sightglass::figure
