// The contours of the MediaPipe face mesh as pairs of landmarks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sightglass {

enum class FacePart : uint8_t { kOval, kLips, kLeftEye, kLeftEyebrow, kRightEye, kRightEyebrow, kLeftIris, kRightIris };
inline constexpr int kFaceParts = 8;

struct ContourLine {
  int32_t from = 0, to = 0;  // landmark indices
  FacePart part = FacePart::kOval;
};

// Contours of a mesh with that many landmarks; from 478 on, they include the irises.
std::vector<ContourLine> face_contours(int32_t landmarks);

// R G B A in [0,1].
std::array<float, 4> color_of(FacePart part);

}  // namespace sightglass
