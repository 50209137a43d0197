// A picture to be drawn: all that the shaders need to know, and the truth about it. A function of seed, time and the
// picture's proportions alone: the same on every call, and on every machine whose compiler rounds alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "figure/backdrop.h"
#include "figure/lofts.h"
#include "figure/look.h"
#include "figure/skeleton.h"
#include "figure/strands.h"

namespace sightglass::figure {

enum class Framing : uint8_t { kSelfie, kHalf, kFull };
// Fine has what is hard to cut out: single hairs, and sleeves and lenses that one sees through.
enum class Detail : uint8_t { kPlain, kFine };

// In the order of the COCO data set.
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
// As in that data set: 0 outside of the picture, 1 inside but hidden, 2 visible.
enum class Visibility : uint8_t { kOutside, kHidden, kVisible };
struct KeyPoint {
  float x = 0, y = 0;  // (0,0) the picture's top left corner, (1,1) its bottom right one; may lie outside
  Visibility visibility = Visibility::kOutside;
  bool operator==(const KeyPoint&) const = default;
};

using Vec4 = std::array<float, 4>;

// The uniform block Figure of shaders/figure/figure_block.glsl, as std140 lays it out.
struct FigureBlock {
  std::array<Vec4, 4> clip{};  // columns: from the world to clip space; the picture's top row is stored first
  Vec4 eye{};
  std::array<Vec4, 4> head{}, chest{};  // axes, origin; in w of the first axis what to divide lengths by
  Vec4 sun{}, sun_color{}, sky{}, ground{}, rim{}, rim_color{};
  Vec4 skin{}, lips{}, iris{}, hair{}, hair_tip{}, headwear{}, plastic{}, glasses{}, scarf{}, shoes{}, tie{}, print{};
  std::array<Vec4, 3> shirt{}, coat{}, trousers{};  // colour a, pattern; colour b, repeats; what differs
  Vec4 face{}, gaze{}, features{}, marks{}, hair_shape{}, hair_more{}, face_mask{}, fine{};
  bool operator==(const FigureBlock&) const = default;
};
// The uniform block Camera of shaders/figure/camera_block.glsl.
struct CameraBlock {
  Vec4 gain{};   // R G B factors; exponent
  Vec4 noise{};  // of brightness, of colours; seed; strength of the vignette
  Vec4 room{};   // aspect; level of detail of the backdrop, whole; softness in pixels; saturation
  Vec4 spot{};   // light on the backdrop: x, y, width; strength
  Vec4 wall{};   // R G B factors of the backdrop; unused
  bool operator==(const CameraBlock&) const = default;
};

struct Moment {
  uint32_t seed = 0;
  double seconds = 0;
  uint64_t frame = 0;              // seeds the noise of the camera
  std::optional<Framing> framing;  // the seed's where it is not given
  Detail detail = Detail::kPlain;
};

struct Scene {
  Framing framing = Framing::kSelfie;
  Body body;
  Look look;
  Skeleton bones;
  Lofts lofts;
  std::vector<Strand> strands;
  Backdrop backdrop;
  std::vector<Card> behind, before;  // in focus: right behind the figure; between it and the camera
  FigureBlock figure;
  CameraBlock camera;
  std::array<KeyPoint, kKeyPoints> key_points;

  // `aspect`: the picture's width by its height, as displayed; `height` in pixels.
  static Scene at(const Moment& moment, float aspect, int32_t height);
};

}  // namespace sightglass::figure
