// The landmarks of the faces, hands or eyes in a frame as the decoder writes them on the GPU: the content of one
// buffer, declared in shaders/infer/landmarks.glsl (std430).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightglass {

inline constexpr int32_t kMaxLandmarks = 478;
inline constexpr int32_t kMaxLandmarkObjects = 8;
inline constexpr int32_t kBlendshapes = 52, kBlendshapePoints = 146;  // of the blendshape model: outputs, inputs

struct Landmarks {
  int32_t count = 0;  // valid entries of `points`, by the model; 0: nothing found
  float score = 0;    // in [0,1]: probability of the object; 1 for models without such an output
  float right = 0;    // in [0,1]: probability of a right hand rather than a left one, in an image that is not mirrored
  int32_t id = 0;     // track ID; 0: not tracked
  // x and y in fractions of the upright frame; z, the depth, in fractions of its width, negative towards the camera;
  // 0. Undefined from `count` on.
  std::array<std::array<float, 4>, kMaxLandmarks> points{};
  std::array<float, kBlendshapes> blendshapes{};  // in [0,1]; undefined without LandmarkObjects::blendshapes
};
struct LandmarkObjects {
  int32_t count = 0;
  int32_t blendshapes = 0;  // of each object: kBlendshapes, or 0 if they were not computed
  std::array<int32_t, 2> unused{};
  std::array<Landmarks, kMaxLandmarkObjects> objects{};  // undefined from `count` on
};
static_assert(offsetof(Landmarks, points) == 16 && sizeof(Landmarks) == 16 + 16 * kMaxLandmarks + 4 * kBlendshapes);
static_assert(sizeof(Landmarks) % 16 == 0);
static_assert(sizeof(LandmarkObjects) == 16 + kMaxLandmarkObjects * sizeof(Landmarks));

// How landmarks are drawn: the contours of the MediaPipe face mesh and eye, and the bones of the MediaPipe hand.

enum class LandmarkPart : uint8_t {
  kOval,
  kLips,
  kLeftEye,
  kLeftEyebrow,
  kRightEye,
  kRightEyebrow,
  kLeftIris,
  kRightIris,
  kPalm,
  kThumb,
  kIndexFinger,
  kMiddleFinger,
  kRingFinger,
  kPinky
};
inline constexpr int32_t kLandmarkParts = 14;

struct ContourLine {
  int32_t from = 0, to = 0;  // landmark indices; if equal: a disc
  LandmarkPart part = LandmarkPart::kOval;
};

// Contours of a mesh with that many landmarks; from 478 on, they include the irises.
std::vector<ContourLine> face_contours(int32_t landmarks);
// Contours of the iris model: eyelids and brow, then the iris.
std::vector<ContourLine> eye_contours();
// Bones and joints of the 21 landmarks of a hand.
std::vector<ContourLine> hand_bones();
// Each landmark as a disc.
std::vector<ContourLine> discs(int32_t landmarks);

// R G B A in [0,1].
std::array<float, 4> color_of(LandmarkPart part);

// Models that run on the objects of another one (infer/object_regions.h).

inline constexpr int32_t kMaxObjectRuns = 16;      // of the model per frame
inline constexpr int32_t kObjectSlots = 128;       // objects whose values are kept: more than detections
inline constexpr int32_t kMaxObjectClasses = 10;   // of each object
inline constexpr int32_t kMaxObjectValues = 4096;  // of each object
inline constexpr int32_t kRegionClasses = 256;     // that can be selected, from 0 on
inline constexpr int32_t kSampleExtends = 1, kSampleCrops = 2;
inline constexpr uint32_t kStoreBinding = 3;  // the uniform block Store

// What a model says of an object.
enum class ObjectValues : int32_t {
  kClasses,  // pairs of class and score, best first
  kPoints,   // x, y and z in fractions of the box and its width, and the score
  kVector,   // an output as it is
};

}  // namespace sightglass
