// Whole float models on the GPU against the outputs of TensorFlow Lite's CPU kernels, with the limits of the device and
// with the minimums that OpenGL ES 3.1 guarantees. One line per model, case and limits says how close they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"

namespace sightglass::test {
namespace {

// The largest errors that count as the same answer.
struct Bars {
  double relative_max;  // of the output's range, for every output
  double mask_iou;
  double class_agreement;  // share of places with the same winner
  double landmark_pixels;
  bool noise;  // whether meanings are judged on random inputs too, where nothing has a meaning and rounding grows
};
constexpr Bars kFp32Bars{1e-3, 0.999, 0.999, 0.05, true};
constexpr Bars kFp16Bars{INFINITY, 0.995, 0.995, 0.5, false};  // outputs without a meaning have no bar
constexpr double kArenaRatio = 1.05;                           // arena against the lower bound

// What an output means, beyond its numbers.
enum class Meaning {
  kMask,       // above `threshold`: foreground
  kClasses,    // scores by class along the last dimension, one winner per place
  kLandmarks,  // groups of `stride` numbers, which begin with x and y in pixels
};

struct MeaningOfOutput {
  size_t output;
  Meaning meaning;
  float threshold = 0;
  size_t stride = 0;
};

struct ModelCase {
  const char* model;
  std::vector<MeaningOfOutput> meanings;
};

const ModelCase kModels[] = {
    {"segmentation/mediapipe_selfie_segmenter_256", {{0, Meaning::kMask, 0.5f}}},
    {"segmentation/deeplabv3_257_mv_gpu", {{0, Meaning::kClasses}}},
    {"segmentation/bodypix_float_050_8", {{0, Meaning::kMask, 0.0f}}},  // before the sigmoid
    {"pose/blazepose_landmark_lite",
     {{0, Meaning::kLandmarks, 0, 5}, {2, Meaning::kMask, 0.0f}}},  // the mask before the sigmoid
    {"face/face_detection_short_range", {}},
    {"face/face_landmark_468_f16", {{0, Meaning::kLandmarks, 0, 3}}},
    {"face/face_landmark_468_f32", {{0, Meaning::kLandmarks, 0, 3}}},
    {"classify_detect/mobilenet_v1_0.25_224_float", {{0, Meaning::kClasses}}},
};

double worst_landmark_pixels(const HostTensor& reference, const HostTensor& got, size_t stride) {
  const auto a = reference.as<float>(), b = got.as<float>();
  double worst = 0;
  for (size_t i = 0; i + 1 < a.size(); i += stride) {
    const double distance = std::hypot(double{a[i]} - b[i], double{a[i + 1]} - b[i + 1]);
    worst = std::isfinite(distance) ? std::max(worst, distance) : INFINITY;
  }
  return worst;
}

// The share of places where the same class wins.
double class_agreement(const HostTensor& reference, const HostTensor& got) {
  const auto classes = static_cast<size_t>(reference.shape.dim(reference.shape.rank() - 1));
  const auto winner = [classes](std::span<const float> scores, size_t at) {
    const auto place = scores.subspan(at * classes, classes);
    return std::max_element(place.begin(), place.end()) - place.begin();
  };
  const auto a = reference.as<float>(), b = got.as<float>();
  const size_t places = a.size() / classes;
  size_t same = 0;
  for (size_t at = 0; at < places; ++at) same += winner(a, at) == winner(b, at) ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(places);
}

struct Run {
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Session> session;
};

Result<Run> prepare(const GlApi& gl, const GoldenCase& golden, const DeviceLimits& limits,
                    const PlanOptions& options = {}, const ModelOptions& model_options = {}) {
  SG_ASSIGN_OR_RETURN(auto model, Model::load(golden.model_file.string(), model_options));
  Run run;
  SG_ASSIGN_OR_RETURN(run.plan, Plan::build(std::move(model), limits, options));
  SG_ASSIGN_OR_RETURN(run.session, Session::create(gl, run.plan));
  return run;
}

Result<std::vector<HostTensor>> infer(const Run& run, const std::vector<HostTensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) SG_RETURN_IF_ERROR(run.session->write_input(i, inputs[i].data));
  SG_RETURN_IF_ERROR(run.session->run());
  std::vector<HostTensor> outputs;
  for (const TensorInfo& info : run.plan->model().outputs()) {
    outputs.emplace_back(info.type, info.shape);
    SG_RETURN_IF_ERROR(run.session->read_output(outputs.size() - 1, outputs.back().data));
  }
  return outputs;
}

enum class Setting { kDevice, kMinimumLimits, kFp16 };

const char* to_string(Setting setting) {
  return setting == Setting::kDevice ? "device" : setting == Setting::kMinimumLimits ? "min" : "fp16";
}
void PrintTo(Setting setting, std::ostream* out) { *out << to_string(setting); }

class ModelsTest : public GlTest, public ::testing::WithParamInterface<std::tuple<size_t, Setting>> {
 protected:
  const ModelCase& model_case() const { return kModels[std::get<0>(GetParam())]; }
  Setting setting() const { return std::get<1>(GetParam()); }
  DeviceLimits limits() const {
    return setting() == Setting::kMinimumLimits ? device().limits.clamped_to_minimum() : device().limits;
  }
  PlanOptions options() const {
    PlanOptions options;
    options.precision = setting() == Setting::kFp16 ? Precision::kFp16 : Precision::kFp32;
    return options;
  }
  const Bars& bars() const { return setting() == Setting::kFp16 ? kFp16Bars : kFp32Bars; }
};

std::string test_name(const ::testing::TestParamInfo<ModelsTest::ParamType>& info) {
  std::string name = kModels[std::get<0>(info.param)].model;
  name = name.substr(name.find('/') + 1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name + "_" + to_string(std::get<1>(info.param));
}

TEST_P(ModelsTest, MatchesTensorFlowLite) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models, no reference outputs";
  const std::vector<GoldenCase> cases = golden_cases_of(model_case().model);
  ASSERT_FALSE(cases.empty());
  const auto run = prepare(gl(), cases.front(), limits(), options());
  ASSERT_TRUE(run.ok()) << run.status().message();
  const MemoryReport& memory = run->plan->memory();
  EXPECT_LE(static_cast<double>(memory.arena_bytes), kArenaRatio * static_cast<double>(memory.lower_bound_bytes));

  for (const GoldenCase& golden : cases) {
    const auto inputs = load_inputs(golden);
    ASSERT_TRUE(inputs.ok()) << inputs.status().message();
    const auto references = load_outputs(golden);
    ASSERT_TRUE(references.ok()) << references.status().message();
    const auto outputs = infer(*run, *inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    ASSERT_EQ(outputs->size(), references->size());

    std::string figures;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Comparison comparison = compare((*references)[i], (*outputs)[i]);
      char text[64];
      std::snprintf(text, sizeof(text), " out%zu %.1e", i, comparison.relative_max);
      figures += text;
      EXPECT_LE(comparison.relative_max, bars().relative_max)
          << golden.name << ", output " << i << ": " << to_string(comparison);
    }
    const bool judged = bars().noise || golden.name != "random";
    for (const MeaningOfOutput& meaning : model_case().meanings) {
      const HostTensor &reference = (*references)[meaning.output], &output = (*outputs)[meaning.output];
      char text[64];
      if (meaning.meaning == Meaning::kLandmarks) {
        const double pixels = worst_landmark_pixels(reference, output, meaning.stride);
        EXPECT_TRUE(!judged || pixels <= bars().landmark_pixels)
            << golden.name << ", output " << meaning.output << ": " << pixels << " px";
        std::snprintf(text, sizeof(text), ", landmarks %.5f px", pixels);
      } else if (meaning.meaning == Meaning::kMask) {
        const double iou = mask_iou(reference, output, meaning.threshold);
        EXPECT_TRUE(!judged || iou >= bars().mask_iou) << golden.name << ", output " << meaning.output << ": " << iou;
        std::snprintf(text, sizeof(text), ", IoU %.5f", iou);
      } else {
        const double same = class_agreement(reference, output);
        EXPECT_TRUE(!judged || same >= bars().class_agreement)
            << golden.name << ", output " << meaning.output << ": " << same;
        std::snprintf(text, sizeof(text), ", same winner %.5f", same);
      }
      figures += text;
    }
    std::printf("MODEL %s %s %s:%s | %d dispatches, %d barriers, %d programs | arena %lld B of lower bound %lld B\n",
                golden.model.c_str(), golden.name.c_str(), to_string(setting()), figures.c_str(),
                run->plan->dispatches(), run->plan->barriers(), run->plan->programs(),
                static_cast<long long>(memory.arena_bytes), static_cast<long long>(memory.lower_bound_bytes));
  }
}

TEST_P(ModelsTest, StaysInItsTensorsAndRepeatsBitByBit) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const std::vector<GoldenCase> cases = golden_cases_of(model_case().model);
  ASSERT_FALSE(cases.empty());
  PlanOptions guarded = options();
  guarded.sentinel_bytes = 256;
  const auto run = prepare(gl(), cases.back(), limits(), guarded);
  ASSERT_TRUE(run.ok()) << run.status().message();
  const auto inputs = load_inputs(cases.back());
  ASSERT_TRUE(inputs.ok()) << inputs.status().message();
  const auto first = infer(*run, *inputs);
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second = infer(*run, *inputs);
  ASSERT_TRUE(second.ok()) << second.status().message();
  for (size_t i = 0; i < first->size(); ++i) {
    EXPECT_TRUE(compare((*first)[i], (*second)[i]).identical) << "output " << i << " differs from run to run";
  }
  const Status sentinels = run->session->check_sentinels();
  EXPECT_TRUE(sentinels.ok()) << sentinels.message();
}

// The share of numbers that differ by no more than one quantum (quantised tensors), or by one 255th of the range.
double within_one_quantum(const HostTensor& reference, const HostTensor& got, double range) {
  const auto near_enough = [&]<typename T>(double step) {
    const auto a = reference.as<T>(), b = got.as<T>();
    size_t near = 0;
    for (size_t i = 0; i < a.size(); ++i) near += std::abs(double(a[i]) - double(b[i])) <= step ? 1 : 0;
    return static_cast<double>(near) / static_cast<double>(a.size());
  };
  if (reference.type == DataType::kInt8) return near_enough.operator()<int8_t>(1);
  if (reference.type == DataType::kUInt8) return near_enough.operator()<uint8_t>(1);
  return near_enough.operator()<float>(range / 255);
}

// Models of 8-bit integers. No two implementations agree to the last bit: the yardstick is how far TensorFlow Lite's
// own optimised path is from the recorded outputs.
struct QuantizedCase {
  const char* model;
  double allowance;  // times the yardstick; above 1 where we are further away, which is a known limit
};
constexpr QuantizedCase kQuantizedModels[] = {
    {"classify_detect/mobilenet_v1_0.25_224_quant", 1},
    {"classify_detect/tf2_mobilenet_v2_1.0_224_ptq", 1},
    {"pose/posenet_mnv1_075_353x481_quant", 1},
    {"pose/posenet_mnv1_100_257_multi_kpt_int8", 1},
    {"segmentation/unet_person_08_dynrange", 1},
};
class QuantizedModelsTest : public GlTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(QuantizedModelsTest, TracksTensorFlowLite) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models, no reference outputs";
  const QuantizedCase& quantized = kQuantizedModels[GetParam()];
  for (const GoldenCase& golden : golden_cases_of(quantized.model)) {
    const auto run = prepare(gl(), golden, device().limits, {}, {QuantizedModels::kAllowed});
    ASSERT_TRUE(run.ok()) << run.status().message();
    const auto inputs = load_inputs(golden);
    const auto references = load_outputs(golden);
    const auto description = describe_case(golden);
    ASSERT_TRUE(inputs.ok() && references.ok() && description.ok());
    const auto outputs = infer(*run, *inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Comparison figures = compare((*references)[i], (*outputs)[i]);
      const double near = within_one_quantum((*references)[i], (*outputs)[i], figures.range);
      const double yardstick = description->outputs[i].own_deviation.value_or(0);
      std::printf("MODEL %s %s output %zu: relative L2 %.4f (yardstick %.4f), %.2f%% within one quantum\n",
                  golden.model.c_str(), golden.name.c_str(), i, figures.relative_l2, yardstick, 100 * near);
      EXPECT_TRUE(figures.relative_l2 <= quantized.allowance * yardstick || near >= 0.99)
          << golden.name << ", output " << i << ": " << to_string(figures);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(EightBit, QuantizedModelsTest, ::testing::Range<size_t>(0, std::size(kQuantizedModels)));

// Small models of single operators and whole models beyond those above: either the answer is right, or there is a
// reason.
class EveryModelTest : public GlTest {};

TEST_F(EveryModelTest, MatchesOrIsRefusedWithAReason) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models, no reference outputs";
  std::set<std::string> matching;
  for (const GoldenCase& golden : list_golden_cases()) {
    SCOPED_TRACE(golden.model + " " + golden.name);
    const auto run = prepare(gl(), golden, device().limits);
    if (!run.ok()) {
      const Status& status = run.status();
      const bool reason = status.code() == ErrorCode::kUnsupported || status.code() == ErrorCode::kInvalidModel ||
                          status.code() == ErrorCode::kResourceExhausted;
      EXPECT_TRUE(reason) << status.message();
      EXPECT_NE(status.message().find(golden.model), std::string::npos) << status.message();
      continue;
    }
    if (!golden.error.empty()) continue;  // runs here, but there is nothing to compare with
    const auto inputs = load_inputs(golden);
    ASSERT_TRUE(inputs.ok()) << inputs.status().message();
    const auto references = load_outputs(golden);
    ASSERT_TRUE(references.ok()) << references.status().message();
    const auto outputs = infer(*run, *inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    ASSERT_EQ(outputs->size(), references->size());
    double worst = 0;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Comparison comparison = compare((*references)[i], (*outputs)[i]);
      worst = std::max(worst, comparison.relative_max);
      EXPECT_LE(comparison.relative_max, kFp32Bars.relative_max) << "output " << i << ": " << to_string(comparison);
    }
    std::printf("MODEL %s %s: %.1e of the range\n", golden.model.c_str(), golden.name.c_str(), worst);
    matching.insert(golden.model);
  }
  // Refusing what used to run is a fault too.
  for (const char* model :
       {"ops/lite_add", "ops/lite_gpu_compat_single_avg_pool", "ops/lite_multi_add", "ops/lite_sub",
        "ops/lite_test_model_redux_precision", "ops/mp_1x256x256x3_softmax", "ops/mp_3in3out_model_swaps_input_2_and_0",
        "ops/quant_concat", "ops/quant_fc", "ops/quant_maximum", "ops/quant_minimum",
        "ops/quant_multi_input_add_reshape", "ops/quant_single_conv_weights_min_0_max_plus_10",
        "ops/quant_single_softmax_min_minus_5_max_plus_5", "ops/quant_weight_shared_between_convs"}) {
    EXPECT_TRUE(matching.contains(model)) << model << " does not run";
  }
}

INSTANTIATE_TEST_SUITE_P(Float, ModelsTest,
                         ::testing::Combine(::testing::Range<size_t>(0, std::size(kModels)),
                                            ::testing::Values(Setting::kDevice, Setting::kMinimumLimits,
                                                              Setting::kFp16)),
                         test_name);

}  // namespace
}  // namespace sightglass::test
