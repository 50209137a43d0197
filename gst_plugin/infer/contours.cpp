#include "infer/contours.h"

#include <algorithm>

namespace sightglass {

namespace {

struct Chain {
  LandmarkPart part;
  std::vector<int32_t> landmarks;  // each connected to the next one
};

std::vector<ContourLine> lines_of(const std::vector<Chain>& chains) {
  std::vector<ContourLine> lines;
  for (const Chain& chain : chains) {
    for (size_t i = 1; i < chain.landmarks.size(); ++i) {
      lines.push_back({chain.landmarks[i - 1], chain.landmarks[i], chain.part});
    }
  }
  return lines;
}

// Landmark indices are those of MediaPipe's canonical face model.
const std::vector<Chain>& face_chains() {
  using enum LandmarkPart;
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
  std::vector<Chain> known = face_chains();
  std::erase_if(known, [&](const Chain& chain) { return *std::ranges::max_element(chain.landmarks) >= landmarks; });
  return lines_of(known);
}

std::vector<ContourLine> eye_contours() {
  using enum LandmarkPart;
  return lines_of({{kLeftEye, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
                   {kLeftEye, {0, 9, 10, 11, 12, 13, 14, 8}},
                   {kLeftIris, {72, 73, 74, 75, 72}},
                   {kLeftIris, {71, 71}}});
}

std::vector<ContourLine> hand_bones() {
  using enum LandmarkPart;
  std::vector<ContourLine> lines = lines_of({{kPalm, {0, 5, 9, 13, 17, 0}},
                                             {kThumb, {0, 1, 2, 3, 4}},
                                             {kIndexFinger, {5, 6, 7, 8}},
                                             {kMiddleFinger, {9, 10, 11, 12}},
                                             {kRingFinger, {13, 14, 15, 16}},
                                             {kPinky, {17, 18, 19, 20}}});
  lines.push_back({0, 0, kPalm});
  for (int32_t finger = 0; finger < 5; ++finger) {
    const auto part = static_cast<LandmarkPart>(static_cast<int32_t>(kThumb) + finger);
    for (int32_t joint = 1; joint <= 4; ++joint) lines.push_back({4 * finger + joint, 4 * finger + joint, part});
  }
  return lines;
}

std::vector<ContourLine> discs(int32_t landmarks) {
  std::vector<ContourLine> lines;
  for (int32_t i = 0; i < landmarks; ++i) lines.push_back({i, i, LandmarkPart::kLeftEye});
  return lines;
}

std::array<float, 4> color_of(LandmarkPart part) {
  using enum LandmarkPart;
  switch (part) {
    case kOval:
    case kPalm:
      return {0.88f, 0.88f, 0.88f, 1};
    case kLips:
    case kPinky:
      return {1, 0.35f, 0.4f, 1};
    case kLeftEye:
    case kLeftEyebrow:
    case kMiddleFinger:
      return {0.2f, 1, 0.3f, 1};
    case kRightEye:
    case kRightEyebrow:
    case kThumb:
      return {1, 0.6f, 0.1f, 1};
    case kLeftIris:
    case kRightIris:
    case kRingFinger:
      return {0.3f, 0.8f, 1, 1};
    case kIndexFinger:
      return {1, 0.95f, 0.2f, 1};
  }
  return {1, 1, 1, 1};
}

}  // namespace sightglass
