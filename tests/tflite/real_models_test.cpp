// Real models, if they are available: each imports or is rejected with a reason. Imported models agree with listings of
// the same files from another program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "gpu_engine/internals.h"
#include "harness/value_of.h"
#include "import_test.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(SIGHTGLASS_SOURCE_DIR) / ".." / "shared" / "models";
const fs::path kFigure = fs::path(SIGHTGLASS_SOURCE_DIR) / "models/figure/figure.tflite";

const std::set<std::string> kMustImport = {
    "mediapipe_selfie_segmenter_256", "deeplabv3_257_mv_gpu",  "bodypix_float_050_8",   "blazepose_landmark_lite",
    "face_detection_short_range",     "face_landmark_468_f16", "face_landmark_468_f32", "mobilenet_v1_0.25_224_float",
};

std::vector<fs::path> model_files() {
  std::vector<fs::path> files{kFigure};
  if (!fs::exists(kModels)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(kModels)) {
    if (entry.path().extension() == ".tflite") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(RealModels, ImportOrReportWhyNot) {
  const std::vector<fs::path> files = model_files();
  std::set<std::string> found;
  for (const fs::path& file : files) {
    const std::string name = file.stem();
    found.insert(name);
    const auto model = Model::load(file.string());
    if (model.ok()) {
      std::printf("%-45s imported: %zu nodes\n", name.c_str(), graph_of(**model).order().size());
      continue;
    }
    const std::string& message = model.status().message();
    const std::string prefix = file.string() + ": ";
    ASSERT_EQ(message.rfind(prefix, 0), 0u) << "the message does not begin with the file: " << message;
    std::string line = message.substr(prefix.size(), 140);
    std::ranges::replace(line, '\n', ' ');
    std::printf("%-45s refused: %s…\n", name.c_str(), line.c_str());
    EXPECT_NE(model.status().code(), ErrorCode::kInternal) << message;
    EXPECT_FALSE(kMustImport.contains(name) || file == kFigure) << message;
  }
  EXPECT_TRUE(found.contains("figure"));
  if (!fs::exists(kModels)) return;
  for (const std::string& name : kMustImport) EXPECT_TRUE(found.contains(name)) << name << " is not in " << kModels;
}

TEST(RealModels, Metadata) {
  if (!fs::exists(kModels)) GTEST_SKIP() << "no models in " << kModels;
  const auto metadata = [](const char* name) {
    const auto model = value_of(Model::load((kModels / name).string()));
    return model->metadata();
  };
  const ModelMetadata selfie = metadata("segmentation/mediapipe_selfie_segmenter_256.tflite");
  EXPECT_TRUE(selfie.problems.empty());
  ASSERT_EQ(selfie.inputs.size(), 1u);
  EXPECT_EQ(selfie.inputs[0].mean, std::vector<float>{0});
  EXPECT_EQ(selfie.inputs[0].deviation, std::vector<float>{255});
  ASSERT_EQ(selfie.outputs.size(), 1u);
  EXPECT_EQ(selfie.outputs[0].labels(), std::vector<std::string>{"selfie"});
  const ModelMetadata mobilenet = metadata("classify_detect/mobilenet_v1_0.25_224_quant.tflite");
  EXPECT_TRUE(mobilenet.problems.empty());
  ASSERT_EQ(mobilenet.outputs.size(), 1u);
  ASSERT_EQ(mobilenet.outputs[0].labels().size(), 1001u);
  EXPECT_EQ(mobilenet.outputs[0].labels()[1], "tench");
}

// The operators in a listing, by index: "pad=SAME s=2x2 dil=1x1 act=NONE".
std::map<int, std::string> listed_options(const fs::path& listing) {
  std::map<int, std::string> options;
  std::ifstream file(listing);
  for (std::string line; std::getline(file, line);) {
    const size_t bar = line.rfind(" | ");
    char* rest = nullptr;
    const long number = std::strtol(line.c_str(), &rest, 10);
    if (bar == std::string::npos || rest == line.c_str() || *rest != ' ') continue;
    std::string text = line.substr(bar + 3);
    text.erase(std::min(text.size(), text.find("macs=")));
    text.erase(text.find_last_not_of(' ') + 1);
    options[static_cast<int>(number)] = text;
  }
  return options;
}

const char* listed_name(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return "NONE";
    case Activation::kRelu:
      return "RELU";
    case Activation::kRelu6:
      return "RELU6";
    default:
      return "another";
  }
}

std::string pair_of(int32_t a, int32_t b) { return std::to_string(a) + "x" + std::to_string(b); }

// The attributes of the node in the format of the listing; empty for operators that are not compared.
std::string options_of(const Node& node) {
  std::string act = std::string("act=") + listed_name(node.activation);
  const auto pad = [](const Padding2d& p) { return p.mode == PaddingMode::kSame ? "pad=SAME " : "pad=VALID "; };
  if (const auto* a = std::get_if<Conv2dAttr>(&node.attributes)) {
    return pad(a->padding) + ("s=" + pair_of(a->stride_h, a->stride_w)) +
           " dil=" + pair_of(a->dilation_h, a->dilation_w) + " " + act;
  }
  if (const auto* a = std::get_if<DepthwiseConv2dAttr>(&node.attributes)) {
    return pad(a->padding) + ("s=" + pair_of(a->stride_h, a->stride_w)) + " mult=" + std::to_string(a->multiplier) +
           " dil=" + pair_of(a->dilation_h, a->dilation_w) + " " + act;
  }
  if (const auto* a = std::get_if<Pool2dAttr>(&node.attributes)) {
    return pad(a->padding) + ("s=" + pair_of(a->stride_h, a->stride_w)) + " f=" + pair_of(a->filter_h, a->filter_w) +
           " " + act;
  }
  if (const auto* a = std::get_if<ResizeAttr>(&node.attributes)) {
    return "align_corners=" + std::to_string(a->align_corners) + " half_pixel=" + std::to_string(a->half_pixel_centers);
  }
  if (node.op == OpType::kAdd || node.op == OpType::kMul) return act;
  return {};
}

TEST(RealModels, OptionsAgreeWithListings) {
  int compared = 0;
  for (const fs::path& file : model_files()) {
    const fs::path listing = kModels / "dumps" / (file.stem().string() + ".txt");
    if (!kMustImport.contains(file.stem()) || !fs::exists(listing)) continue;
    SCOPED_TRACE(file.stem().string());
    const auto model = value_of(Model::load(file.string()));
    const std::map<int, std::string> listed = listed_options(listing);
    for (const NodeId id : graph_of(*model).order()) {
      const Node& node = graph_of(*model).node(id);
      const std::string options = options_of(node);
      if (options.empty()) continue;
      const auto found = listed.find(std::atoi(node.origin.substr(node.origin.rfind('#') + 1).c_str()));
      ASSERT_NE(found, listed.end()) << node.origin;
      EXPECT_EQ(options, found->second) << node.origin;
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "no listings in " << kModels / "dumps";
  std::printf("%d operators compared\n", compared);
}

TEST(RealModels, RangeOfTheOutput) {
  const std::pair<const char*, ValueRange> expected[] = {
      {"segmentation/mediapipe_selfie_segmenter_256.tflite", {0, 1}},
      {"classify_detect/mobilenet_v1_0.25_224_float.tflite", {0, 1}},
      {"segmentation/deeplabv3_257_mv_gpu.tflite", {}},
  };
  for (const auto& [path, range] : expected) {
    if (!fs::exists(kModels / path)) GTEST_SKIP() << "no " << kModels / path;
    const auto model = value_of(Model::load((kModels / path).string()));
    EXPECT_EQ(model->output_range(0), range) << path;
  }
}

}  // namespace
}  // namespace sightglass::test
