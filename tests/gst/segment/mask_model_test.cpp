// How a model becomes a segmenter: the catalog of published models, metadata in files, and properties.
#include "segment/mask_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "element/model_picture.h"
#include "harness/golden.h"
#include "segment/segmenter.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

std::string model_file(const std::string& name) { return (*shared_dir() / "models" / (name + ".tflite")).string(); }

Result<MaskModel> load_mask_model(const std::string& path, const MaskModelOptions& options = {}) {
  ModelOptions arranged;
  arranged.image_order = ImageOrder::kArranged;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, Model::load(path, arranged));
  return describe_mask_model(*model, recognize_model(path), options);
}

// Known models have measured defaults; others have those of the properties.
TEST(MaskModel, KnownModelsHaveDefaults) {
  const auto figure = load_mask_model(SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite");
  ASSERT_TRUE(figure.ok()) << figure.status().message();
  EXPECT_TRUE(figure->defaults.guided);
  EXPECT_FALSE(figure->defaults.islands);
  EXPECT_GT(figure->defaults.smoothing, 0);
  EXPECT_GT(figure->defaults.softness, 0.5F);
  const auto unknown = load_mask_model(red_model());
  ASSERT_TRUE(unknown.ok()) << unknown.status().message();
  EXPECT_FALSE(unknown->defaults.guided);
  EXPECT_TRUE(unknown->defaults.islands);

  SegmentSettings settings;
  EXPECT_EQ(settings.look_for(figure->defaults).softness, figure->defaults.softness);
  settings.softness = 0.1F;
  settings.smoothing = 0.0F;
  settings.islands = true;
  const SegmentLook look = settings.look_for(figure->defaults);
  EXPECT_EQ(look.softness, 0.1F) << "a property that is set wins";
  EXPECT_EQ(look.smoothing, 0);
  EXPECT_TRUE(look.islands);
  EXPECT_EQ(SegmentSettings().look_for({}).softness, 0.5F);
}

TEST(MaskModel, PublishedModelsNeedNoProperties) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto deeplab = load_mask_model(model_file("segmentation/deeplabv3_257_mv_gpu"));
  ASSERT_TRUE(deeplab.ok()) << deeplab.status().message();
  EXPECT_EQ(deeplab->plan_options.inputs[0].scale[0], 2);
  EXPECT_EQ(deeplab->plan_options.inputs[0].offset[2], -1);
  ASSERT_TRUE(deeplab->classes);
  EXPECT_EQ(deeplab->classes->foreground, std::vector<int32_t>{15});
  EXPECT_EQ(deeplab->classes->names.at(15), "person");
  EXPECT_EQ(deeplab->classes->shown.size(), 20U) << "everything except the background";

  const auto hair = load_mask_model(model_file("segmentation/mediapipe_hair_segmentation"));
  ASSERT_TRUE(hair.ok()) << hair.status().message();
  EXPECT_EQ(hair->plan_options.inputs[0].scale, (std::array<float, 4>{1, 1, 1, 1}));
  EXPECT_TRUE(hair->previous_mask);
  EXPECT_EQ(hair->plan_options.outputs[0].classes, std::vector<int32_t>{1});

  for (const char* name : {"mediapipe_selfie_segmenter_256", "bodypix_float_050_8", "unet_person_08_dynrange",
                           "deeplabv3_mnv2_dm05_pascal_quant"}) {
    const auto mask = load_mask_model(model_file(std::string("segmentation/") + name));
    ASSERT_TRUE(mask.ok()) << mask.status().message();
    EXPECT_FALSE(mask->previous_mask) << name;
    EXPECT_EQ(mask->classes.has_value(),
              std::string_view(name).starts_with("deeplab") || std::string_view(name).starts_with("unet"))
        << name;
  }
}

// The range that the operators prove decides about the activation.
TEST(MaskModel, MasksThatAreProbabilitiesGetNoActivation) {
  struct Case {
    Head head;
    OutputActivation activation;
    float scale;
  };
  for (const Case& c : {Case{Head::kLogit, OutputActivation::kSigmoid, 1},
                        {Head::kSigmoid, OutputActivation::kNone, 1},
                        {Head::kHardSigmoid, OutputActivation::kNone, 1},
                        {Head::kFlipped, OutputActivation::kNone, 1},
                        {Head::kFlat, OutputActivation::kNone, 1},
                        {Head::kSamples, OutputActivation::kNone, 1 / 255.0F},
                        {Head::kTwoSoftmax, OutputActivation::kNone, 1},
                        {Head::kChannelsFirst, OutputActivation::kNone, 1}}) {
    const auto mask = load_mask_model(red_model(c.head));
    ASSERT_TRUE(mask.ok()) << mask.status().message();
    const OutputSpec& spec = mask->plan_options.outputs[0];
    EXPECT_EQ(spec.activation, c.activation) << static_cast<int>(c.head);
    EXPECT_FLOAT_EQ(spec.scale, c.scale) << static_cast<int>(c.head);
    EXPECT_EQ(spec.offset, 0) << static_cast<int>(c.head);
  }
}

TEST(MaskModel, ClassNumbersOfAnyType) {
  for (const Head head : {Head::kClassNumbers, Head::kFloatNumbers, Head::kByteNumbers}) {
    const auto mask = load_mask_model(red_model(head));
    ASSERT_TRUE(mask.ok()) << mask.status().message();
    ASSERT_TRUE(mask->classes) << static_cast<int>(head);
    EXPECT_EQ(mask->classes->channels, 0) << static_cast<int>(head);
    EXPECT_EQ(mask->classes->width, 16) << static_cast<int>(head);
  }
}

TEST(MaskModel, RangesBecomeProbabilities) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr OutputActivation kNo = OutputActivation::kNone;
  EXPECT_EQ(to_probability({0, 1}, 1), ToProbability());
  EXPECT_EQ(to_probability({0, 255.0 / 256}, 1), ToProbability());
  EXPECT_EQ(to_probability({0, 1}, 4), ToProbability());
  EXPECT_EQ(to_probability({0, 255}, 2), (ToProbability{1 / 255.0F, 0, kNo}));
  EXPECT_EQ(to_probability({-1, 1}, 1), (ToProbability{0.5F, 0.5F, kNo}));
  EXPECT_EQ(to_probability({0, 6}, 1), (ToProbability{1 / 6.0F, 0, kNo}));
  EXPECT_EQ(to_probability({0, kInf}, 1), ToProbability()) << "a sigmoid would be above one half everywhere";
  EXPECT_EQ(to_probability({-kInf, kInf}, 1).activation, OutputActivation::kSigmoid);
  EXPECT_EQ(to_probability({-kInf, 1}, 1).activation, OutputActivation::kSigmoid);
  EXPECT_EQ(to_probability({-12.8, 12.7}, 1).activation, OutputActivation::kSigmoid);
  EXPECT_EQ(to_probability({-kInf, kInf}, 3).activation, OutputActivation::kSoftmax);
  EXPECT_EQ(to_probability({0, 6}, 3).activation, OutputActivation::kSoftmax);
  EXPECT_EQ(to_probability({-1, 1}, 2).activation, OutputActivation::kSoftmax);
}

// Copies of published models with another checksum are recognized by their inputs and outputs.
TEST(MaskModel, UnknownFilesAreRecognizedByTheirTensors) {
  const auto load = [](const ModelShape& shape) {
    auto mask = load_mask_model(shaped_model(shape));
    EXPECT_TRUE(mask.ok()) << mask.status().message();
    return std::move(mask).value();
  };
  const auto normalizes = [](const MaskModel& mask, float scale, float offset) {
    const InputSpec& input = mask.plan_options.inputs[0];
    return std::ranges::all_of(input.scale, [&](float s) { return s == scale; }) &&
           std::ranges::all_of(input.offset, [&](float o) { return o == offset; });
  };
  const auto activation = [](const MaskModel& mask) { return mask.plan_options.outputs[0].activation; };

  for (const auto& [height, width] : {std::pair{256, 256}, {144, 256}, {128, 128}}) {
    const MaskModel selfie = load({height, width, 3, 1});
    EXPECT_TRUE(normalizes(selfie, 1, 0));
    EXPECT_EQ(activation(selfie), OutputActivation::kSigmoid);
    EXPECT_EQ(selfie.height, height);
    EXPECT_EQ(selfie.width, width);
    EXPECT_FALSE(selfie.classes || selfie.previous_mask);
  }
  for (const auto& [height, width] : {std::pair{96, 160}, {160, 256}, {144, 256}}) {
    const MaskModel meet = load({height, width, 3, 2});
    EXPECT_TRUE(normalizes(meet, 1, 0));
    EXPECT_EQ(activation(meet), OutputActivation::kSoftmax) << "background and person";
    EXPECT_FALSE(meet.classes || meet.previous_mask);
  }
  const MaskModel deeplab = load({257, 257, 3, 21});
  EXPECT_TRUE(normalizes(deeplab, 2, -1));
  ASSERT_TRUE(deeplab.classes);
  EXPECT_EQ(deeplab.classes->foreground, std::vector<int32_t>{15});
  EXPECT_EQ(deeplab.classes->names.at(8), "cat");
  const MaskModel body_pix = load({33, 33, 3, 1, "float_segments"});
  EXPECT_TRUE(normalizes(body_pix, 2, -1));
  const MaskModel hair = load({64, 64, 4, 2});
  EXPECT_TRUE(normalizes(hair, 1, 0));
  EXPECT_TRUE(hair.previous_mask);
  EXPECT_FALSE(load({64, 64, 4, 1}).previous_mask);
}

TEST(MaskModel, PropertiesOverrideKnownValues) {
  MaskModelOptions options;
  options.classes = {7};
  options.normalization.scale = 3;
  const auto deeplab = load_mask_model(shaped_model({257, 257, 3, 21}), options);  // the shapes of DeepLab
  ASSERT_TRUE(deeplab.ok()) << deeplab.status().message();
  EXPECT_EQ(deeplab->plan_options.inputs[0].scale[1], 3);
  EXPECT_EQ(deeplab->plan_options.inputs[0].offset[1], -1);
  ASSERT_TRUE(deeplab->classes);
  EXPECT_EQ(deeplab->classes->foreground, std::vector<int32_t>{7});
  EXPECT_EQ(deeplab->classes->shown, std::vector<int32_t>{7});
}

TEST(MaskModel, ModelsWithoutAMaskAreNamed) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto movenet = load_mask_model(model_file("pose/movenet_singlepose_lightning_int8_v4"));
  ASSERT_FALSE(movenet.ok());
  EXPECT_NE(movenet.status().message().find("MoveNet"), std::string::npos) << movenet.status().message();
  EXPECT_NE(movenet.status().message().find("a model for pose"), std::string::npos) << movenet.status().message();
}

}  // namespace
}  // namespace sightglass::test
