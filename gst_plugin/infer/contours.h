// How landmarks are drawn: the contours of the MediaPipe face mesh and eye, and the bones of the MediaPipe hand.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sightglass {

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

}  // namespace sightglass
