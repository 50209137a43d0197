#include "infer/contours.h"

#include <algorithm>
#include <span>

namespace sightglass {

namespace {

struct Chain {
  FacePart part;
  std::vector<int32_t> landmarks;  // each connected to the next one
};

// Landmark indices are those of MediaPipe's canonical face model.
const std::vector<Chain>& chains() {
  using enum FacePart;
  static const std::vector<Chain> all{
      {kOval, {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152,
               148, 176, 149, 150, 136, 172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109, 10}},
      {kLips, {61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291}},
      {kLips, {61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291}},
      {kLips, {78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308}},
      {kLips, {78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308}},
      {kLeftEye, {263, 249, 390, 373, 374, 380, 381, 382, 362}},
      {kLeftEye, {263, 466, 388, 387, 386, 385, 384, 398, 362}},
      {kLeftEyebrow, {276, 283, 282, 295, 285}},
      {kLeftEyebrow, {300, 293, 334, 296, 336}},
      {kRightEye, {33, 7, 163, 144, 145, 153, 154, 155, 133}},
      {kRightEye, {33, 246, 161, 160, 159, 158, 157, 173, 133}},
      {kRightEyebrow, {46, 53, 52, 65, 55}},
      {kRightEyebrow, {70, 63, 105, 66, 107}},
      {kLeftIris, {474, 475, 476, 477, 474}},
      {kRightIris, {469, 470, 471, 472, 469}},
  };
  return all;
}

}  // namespace

std::vector<ContourLine> face_contours(int32_t landmarks) {
  std::vector<ContourLine> lines;
  for (const Chain& chain : chains()) {
    if (*std::ranges::max_element(chain.landmarks) >= landmarks) continue;
    for (size_t i = 1; i < chain.landmarks.size(); ++i) {
      lines.push_back({chain.landmarks[i - 1], chain.landmarks[i], chain.part});
    }
  }
  return lines;
}

std::array<float, 4> color_of(FacePart part) {
  switch (part) {
    case FacePart::kOval:
      return {0.88f, 0.88f, 0.88f, 1};
    case FacePart::kLips:
      return {1, 0.35f, 0.4f, 1};
    case FacePart::kLeftEye:
    case FacePart::kLeftEyebrow:
      return {0.2f, 1, 0.3f, 1};
    case FacePart::kRightEye:
    case FacePart::kRightEyebrow:
      return {1, 0.6f, 0.1f, 1};
    case FacePart::kLeftIris:
    case FacePart::kRightIris:
      return {0.3f, 0.8f, 1, 1};
  }
  return {1, 1, 1, 1};
}

}  // namespace sightglass
