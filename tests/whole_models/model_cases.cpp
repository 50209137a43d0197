#include "whole_models/model_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/compare.h"

namespace sightglass::test {

namespace {

const ModelCase kCases[] = {
    {"figure", Numbers::kReal, {{0, Meaning::kMask, 0.5f}}},
    {"segmentation/mediapipe_selfie_segmenter_256", Numbers::kReal, {{0, Meaning::kMask, 0.5f}}},
    {"segmentation/deeplabv3_257_mv_gpu", Numbers::kReal, {{0, Meaning::kClasses}}},
    {"segmentation/mediapipe_hair_segmentation", Numbers::kReal, {{0, Meaning::kClasses}}, true},
    {"segmentation/bodypix_float_050_8", Numbers::kReal, {{0, Meaning::kMask, 0.0f}}},  // before the sigmoid
    {"segmentation/deeplabv3_mnv2_dm05_pascal_quant",
     Numbers::kIntegers,
     {{0, Meaning::kLabels}},
     false,
     1.2},  // 24 bytes per channel beside the weights, which are few
    {"segmentation/unet_person_08_dynrange", Numbers::kIntegers, {{0, Meaning::kClasses}}},
    {"pose/movenet_singlepose_lightning_int8_v4", Numbers::kIntegers, {}},
    {"pose/blazepose_detection_224", Numbers::kReal, {}, false, 2.1},  // the file omits zeros
    {"pose/blazepose_landmark_lite",
     Numbers::kReal,
     {{0, Meaning::kLandmarks, 0, 5}, {2, Meaning::kMask, 0.0f}}},  // the mask before the sigmoid
    {"pose/posenet_mnv1_075_353x481_quant", Numbers::kIntegers, {}},
    {"pose/posenet_mnv1_100_257_multi_kpt_int8", Numbers::kIntegers, {}},
    {"face/face_detection_short_range", Numbers::kReal, {}},
    {"face/face_detection_full_range_sparse", Numbers::kReal, {}, false, 1.6},  // the file omits zeros
    {"face/face_landmark_468_f16", Numbers::kReal, {{0, Meaning::kLandmarks, 0, 3}}},
    {"face/face_landmark_468_f32", Numbers::kReal, {{0, Meaning::kLandmarks, 0, 3}}},
    {"classify_detect/mobilenet_v1_0.25_224_float", Numbers::kReal, {{0, Meaning::kClasses}}},
    {"classify_detect/mobilenet_v1_0.25_224_quant", Numbers::kIntegers, {{0, Meaning::kClasses}}},
    {"classify_detect/tf2_mobilenet_v2_1.0_224_ptq", Numbers::kIntegers, {{0, Meaning::kClasses}}},
    {"classify_detect/ssd_mobilenet_v2_fpnlite_320_custom", Numbers::kIntegers, {}},
    {"other/style_transfer_f16_384", Numbers::kReal, {{0, Meaning::kPicture}}},
    {"other/style_transfer_quantized_384", Numbers::kIntegers, {{0, Meaning::kPicture}}},
    {"other/mnist_lstm_float", Numbers::kReal, {{0, Meaning::kClasses}}},
    {"other/mnist_lstm_int8", Numbers::kIntegers, {{0, Meaning::kClasses}}},
};

// The maximum errors that count as the same answer.
struct Bars {
  double relative_max;  // relative to the output range, for every output of real values
  double mask_iou;
  double same_winner;  // share of positions
  double landmark_pixels;
  double picture_psnr_db;
  bool noise;  // whether meanings are also judged on random inputs, which have no meaning and amplify rounding
};
constexpr Bars kFp32Bars{1e-3, 0.999, 0.999, 0.05, 60, true};
constexpr Bars kFp16Bars{INFINITY, 0.995, 0.995, 0.5, 40, false};  // outputs without a meaning have no limit
// Quantized models: as close as the optimized path of TensorFlow Lite, or nearly all within one quantization step.
constexpr double kWithinOneQuantum = 0.99;
constexpr double kSameLabels = 0.995;
// Models that branch on equal values: how many may exceed the limit, and by how much.
constexpr double kBranchShare = 1e-4, kBranchRelativeMax = 1e-2;

double element(const HostTensor& tensor, size_t i) {
  switch (tensor.type) {
    case DataType::kFloat32:
      return double{tensor.as<float>()[i]};
    case DataType::kInt8:
      return tensor.as<int8_t>()[i];
    case DataType::kUInt8:
    case DataType::kBool:
      return tensor.as<uint8_t>()[i];
    case DataType::kInt16:
      return tensor.as<int16_t>()[i];
    case DataType::kInt32:
      return tensor.as<int32_t>()[i];
    case DataType::kInt64:
      return static_cast<double>(tensor.as<int64_t>()[i]);
    case DataType::kFloat16:
      return double{half_to_float(tensor.as<uint16_t>()[i])};
  }
  return 0;
}

double worst_landmark_pixels(const HostTensor& reference, const HostTensor& got, size_t stride) {
  const auto a = reference.as<float>(), b = got.as<float>();
  double worst = 0;
  for (size_t i = 0; i + 1 < a.size(); i += stride) {
    const double distance = std::hypot(double{a[i]} - b[i], double{a[i + 1]} - b[i + 1]);
    worst = std::isfinite(distance) ? std::max(worst, distance) : INFINITY;
  }
  return worst;
}

// The share of positions where the same class wins. A tie counts for every class in it.
double same_winner(const HostTensor& reference, const HostTensor& got) {
  const auto classes = static_cast<size_t>(reference.shape.dim(reference.shape.rank() - 1));
  const size_t places = static_cast<size_t>(reference.shape.elements()) / classes;
  size_t same = 0;
  for (size_t at = 0; at < places; ++at) {
    size_t winner = 0;
    double top = -INFINITY;
    for (size_t c = 0; c < classes; ++c) {
      if (element(got, at * classes + c) > element(got, at * classes + winner)) winner = c;
      top = std::max(top, element(reference, at * classes + c));
    }
    same += element(reference, at * classes + winner) == top ? 1 : 0;
  }
  return static_cast<double>(same) / static_cast<double>(places);
}

double same_labels(const HostTensor& reference, const HostTensor& got) {
  const auto places = static_cast<size_t>(reference.shape.elements());
  size_t same = 0;
  for (size_t i = 0; i < places; ++i) same += element(reference, i) == element(got, i) ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(places);
}

// The shares of values that are equal, and that are at most one quantization step apart.
struct Nearness {
  double equal = 0, near = 0;
};
Nearness nearness(const HostTensor& reference, const HostTensor& got, double quantum) {
  const auto count = static_cast<size_t>(reference.shape.elements());
  size_t equal = 0, near = 0;
  for (size_t i = 0; i < count; ++i) {
    const double distance = std::abs(element(reference, i) - element(got, i));
    equal += distance < 0.01 * quantum ? 1 : 0;
    near += distance < 1.01 * quantum ? 1 : 0;
  }
  return {static_cast<double>(equal) / static_cast<double>(count),
          static_cast<double>(near) / static_cast<double>(count)};
}

void add(Verdict& verdict, bool good, const char* format, double figure) {
  char text[64];
  std::snprintf(text, sizeof(text), format, figure);
  verdict.figures += text;
  if (!good) {
    verdict.good = false;
    verdict.figures += " (!)";
  }
}

void judge_meaning(Verdict& verdict, const MeaningOfOutput& meaning, const Bars& bars, bool judged,
                   const HostTensor& reference, const HostTensor& got) {
  switch (meaning.meaning) {
    case Meaning::kMask: {
      const double iou = mask_iou(reference, got, meaning.threshold);
      return add(verdict, !judged || iou >= bars.mask_iou, " IoU %.5f", iou);
    }
    case Meaning::kClasses: {
      const double same = same_winner(reference, got);
      return add(verdict, !judged || same >= bars.same_winner, " same winner %.5f", same);
    }
    case Meaning::kLabels: {
      const double same = same_labels(reference, got);
      return add(verdict, !judged || same >= kSameLabels, " same label %.5f", same);
    }
    case Meaning::kLandmarks: {
      const double pixels = worst_landmark_pixels(reference, got, meaning.stride);
      return add(verdict, !judged || pixels <= bars.landmark_pixels, " landmarks %.5f px", pixels);
    }
    case Meaning::kPicture: {
      const double psnr = compare(reference, got).psnr_db;
      return add(verdict, !judged || psnr >= bars.picture_psnr_db, " PSNR %.1f dB", psnr);
    }
  }
}

}  // namespace

std::span<const ModelCase> model_cases() { return kCases; }

Verdict judge(const ModelCase& model, const GoldenCase& golden, const GoldenOutput& description, size_t output,
              const HostTensor& reference, const HostTensor& got, bool half_precision, double quantum) {
  Verdict verdict;
  const Comparison figures = compare(reference, got);
  const Bars& bars = half_precision ? kFp16Bars : kFp32Bars;
  const bool integers = model.numbers != Numbers::kReal;
  bool label = false;
  for (const MeaningOfOutput& meaning : model.meanings) {
    label = label || (meaning.output == output && meaning.meaning == Meaning::kLabels);
  }
  if (integers && !label) {
    if (quantum == 0) quantum = reference.type == DataType::kFloat32 ? figures.range / 255 : 1;
    const double yardstick = description.own_deviation.value_or(0);
    const Nearness near = nearness(reference, got, quantum);
    const bool good = figures.relative_l2 <= yardstick || near.near >= kWithinOneQuantum;
    add(verdict, good, "rel L2 %.2e", figures.relative_l2);
    add(verdict, true, " (XNNPACK %.2e)", yardstick);
    add(verdict, true, ", equal %.4f", near.equal);
    add(verdict, true, ", within a quantum %.4f", near.near);
  } else if (!integers && model.branches && !half_precision) {
    const double beyond = 1 - nearness(reference, got, bars.relative_max * figures.range).near;
    add(verdict, figures.relative_max <= kBranchRelativeMax, "max %.1e of range", figures.relative_max);
    add(verdict, beyond <= kBranchShare, ", share beyond 1e-3 %.1e", beyond);
  } else if (!integers) {
    add(verdict, figures.relative_max <= bars.relative_max, "max %.1e of range", figures.relative_max);
  }
  for (const MeaningOfOutput& meaning : model.meanings) {
    if (meaning.output != output) continue;
    const bool picture = golden.name != "random";
    const bool judged = picture || (!integers && bars.noise);
    judge_meaning(verdict, meaning, integers ? kFp16Bars : bars, judged, reference, got);
  }
  return verdict;
}

}  // namespace sightglass::test
