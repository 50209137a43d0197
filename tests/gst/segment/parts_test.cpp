// The parts of the element that need neither GL nor a pipeline, and how a model becomes a segmenter: the catalog of
// published models, metadata in files, and properties.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "element/element_stats.h"
#include "element/model_picture.h"
#include "gl_pictures.h"
#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "segment/blur.h"
#include "segment/mask_model.h"
#include "segment/picture.h"
#include "segment/settings.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

TEST(ParseClasses, AcceptsOnlyLists) {
  using List = std::vector<int32_t>;
  EXPECT_EQ(parse_classes("").value(), List());
  EXPECT_EQ(parse_classes("15").value(), List({15}));
  EXPECT_EQ(parse_classes("1,2").value(), List({1, 2}));
  EXPECT_EQ(parse_classes(" 1 , 20 ").value(), List({1, 20}));
  for (const char* wrong : {"a", "1;2", "1 2", "-1", "1,", ",1", "1,,2", "99999999999", "1.5"}) {
    const auto result = parse_classes(wrong);
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_NE(result.status().message().find(wrong), std::string::npos) << result.status().message();
  }
}

constexpr uint64_t kMs = 1'000'000;

TEST(LatencyMeter, RoundsUpAndReportsAtMostOncePerSecond) {
  LatencyMeter meter;
  uint64_t now = 1000 * kMs;
  EXPECT_EQ(meter.latency_ns(), 0U);
  EXPECT_TRUE(meter.add(11 * kMs, now += 33 * kMs));
  EXPECT_EQ(meter.latency_ns(), 15 * kMs);
  EXPECT_FALSE(meter.add(40 * kMs, now += 33 * kMs)) << "not yet";
  EXPECT_TRUE(meter.add(12 * kMs, now += 1000 * kMs)) << "the slowest of the past second counts";
  EXPECT_EQ(meter.latency_ns(), 40 * kMs);
}

TEST(LatencyMeter, IgnoresNoise) {
  LatencyMeter meter;
  uint64_t now = 1000 * kMs;
  for (int i = 0; i < 3; ++i) meter.add(14 * kMs, now += kMs);
  ASSERT_EQ(meter.latency_ns(), 15 * kMs);
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(meter.add((i % 2 == 0 ? 8 : 9) * kMs, now += 33 * kMs)) << i;
  EXPECT_EQ(meter.latency_ns(), 15 * kMs);
  bool changed = false;
  for (int i = 0; i < 80; ++i) changed = meter.add(2 * kMs, now += 33 * kMs) || changed;
  EXPECT_TRUE(changed);
  EXPECT_EQ(meter.latency_ns(), 5 * kMs);
}

TEST(BlurRecipe, WeightsAddUp) {
  for (float radius = 0; radius <= 1200; radius += 0.7F) {
    const BlurRecipe recipe = BlurRecipe::for_radius(radius);
    ASSERT_GE(recipe.levels, 1);
    ASSERT_LE(recipe.levels, kMaxBlurLevels);
    float sum = recipe.center;
    for (size_t i = 0; i < 4; ++i) sum += 2 * recipe.taps[4 * i + 1];
    ASSERT_NEAR(sum, 1, 1e-5) << "radius " << radius;
    ASSERT_LE(recipe.taps[12], 8) << "radius " << radius;
  }
  EXPECT_EQ(BlurRecipe::for_radius(0).share, 0) << "no radius, no blur";
}

TEST(DiscRecipe, WeightsAddUp) {
  int most = 0;
  for (float radius = 0; radius <= 1200; radius += 0.07F) {
    const DiscRecipe recipe = DiscRecipe::for_radius(radius);
    ASSERT_GE(recipe.levels, 1);
    ASSERT_LE(recipe.levels, kMaxBlurLevels);
    ASSERT_LE(recipe.count, kDiscTaps) << "radius " << radius;
    float sum = recipe.center;
    for (size_t i = 0; i < static_cast<size_t>(recipe.count); ++i) {
      sum += 4 * recipe.taps[i][2];
      ASSERT_LE(std::hypot(recipe.taps[i][0], recipe.taps[i][1]), 9) << "radius " << radius;
    }
    ASSERT_NEAR(sum, 1, 1e-4) << "radius " << radius;
    most = std::max(most, recipe.count);
  }
  std::printf("at most %d taps\n", most);
  EXPECT_EQ(DiscRecipe::for_radius(0).share, 0) << "no radius, no blur";
}

TEST(Picture, CoversAnyShape) {
  const std::string path = scratch_folder() / "picture.png";
  Rgba picture(40, 20);  // left half red, right half blue, all of it half transparent
  for (int32_t y = 0; y < 20; ++y) {
    for (int32_t x = 0; x < 40; ++x) {
      picture.at(x, y)[x < 20 ? 0 : 2] = 255;
      picture.at(x, y)[3] = 128;
    }
  }
  ASSERT_TRUE(save_png(picture, path));
  const auto loaded = value_of(Picture::load(path, 64));
  for (const auto& [width, height] : {std::pair{40, 20}, {100, 100}, {7, 300}, {300, 7}, {1, 1}}) {
    const auto scaled = value_of(loaded->scale(width, height, PictureFit::kCover));
    ASSERT_EQ(scaled.pixels.size(), static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
    EXPECT_EQ(scaled.place, (std::array<float, 4>{0, 0, 1, 1}));
    const auto at = [&, w = width](int32_t x, int32_t y, int channel) {
      return std::to_integer<int>(scaled.pixels[(static_cast<size_t>(y) * w + x) * 4 + channel]);
    };
    EXPECT_EQ(at(0, 0, 3), 128) << width << "x" << height;
    if (width < 40) continue;  // so narrow that only the center is visible
    EXPECT_EQ(at(0, height / 2, 0), 255) << width << "x" << height;
    EXPECT_EQ(at(width - 1, height / 2, 2), 255) << width << "x" << height;
  }
  // Twice as wide as high, and complete.
  const auto high = loaded->scale(60, 90, PictureFit::kContain), wide = loaded->scale(300, 60, PictureFit::kContain);
  ASSERT_TRUE(high.ok() && wide.ok());
  EXPECT_EQ(high->place, (std::array<float, 4>{0, 30.0F / 90, 1, 60.0F / 90}));
  EXPECT_EQ(wide->place, (std::array<float, 4>{90.0F / 300, 0, 210.0F / 300, 1}));
  for (const int32_t size : {1, 2, 3, 7}) {
    EXPECT_TRUE(loaded->scale(size, 300, PictureFit::kContain).ok());
    EXPECT_TRUE(loaded->scale(300, size, PictureFit::kContain).ok());
  }
}

TEST(Picture, OversizedImagesAreRejected) {
  const std::string path = scratch_folder() / "large.png";
  ASSERT_TRUE(save_png(Rgba(65, 10), path));
  expect_failure(Picture::load(path, 64), {path + ": it has 65x10 pixels"});
  EXPECT_TRUE(Picture::load(path, 65).ok());
}

TEST(Picture, ErrorNamesTheFile) {
  expect_failure(Picture::load("/nonexistent/beach.jpg", 64), {"/nonexistent/beach.jpg"});
}

std::string model_file(const std::string& name) { return (*shared_dir() / "models" / (name + ".tflite")).string(); }

Result<MaskModel> load_mask_model(const std::string& path, const MaskModelOptions& options = {}) {
  ModelOptions arranged;
  arranged.image_order = ImageOrder::kArranged;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, Model::load(path, arranged));
  return describe_mask_model(*model, recognize_model(path), options);
}

// Known models have measured defaults; others have those of the properties.
TEST(MaskModel, KnownModelsHaveDefaults) {
  const auto figure = value_of(load_mask_model(SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite"));
  EXPECT_TRUE(figure.defaults.guided);
  EXPECT_FALSE(figure.defaults.islands);
  EXPECT_FALSE(figure.defaults.fill_holes);
  EXPECT_GT(figure.defaults.smoothing, 0);
  EXPECT_GT(figure.defaults.softness, 0.5F);
  const auto unknown = value_of(load_mask_model(red_model()));
  EXPECT_TRUE(unknown.defaults.guided);
  EXPECT_TRUE(unknown.defaults.islands);

  SegmentSettings settings;
  EXPECT_EQ(settings.look_for(figure.defaults).softness, figure.defaults.softness);
  settings.softness = 0.1F;
  settings.smoothing = 0.0F;
  settings.islands = settings.fill_holes = true;
  const SegmentLook look = settings.look_for(figure.defaults);
  EXPECT_EQ(look.softness, 0.1F) << "a property that is set wins";
  EXPECT_EQ(look.smoothing, 0);
  EXPECT_TRUE(look.islands);
  EXPECT_TRUE(look.fill_holes);
  EXPECT_EQ(SegmentSettings().look_for({}).softness, 0.5F);
}

TEST(MaskModel, PublishedModelsNeedNoProperties) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto deeplab = value_of(load_mask_model(model_file("segmentation/deeplabv3_257_mv_gpu")));
  EXPECT_EQ(deeplab.plan_options.inputs[0].scale[0], 2);
  EXPECT_EQ(deeplab.plan_options.inputs[0].offset[2], -1);
  ASSERT_TRUE(deeplab.classes);
  EXPECT_EQ(deeplab.classes->foreground, std::vector<int32_t>{15});
  EXPECT_EQ(deeplab.classes->names.at(15), "person");
  EXPECT_EQ(deeplab.classes->shown.size(), 20U) << "everything except the background";

  const auto hair = value_of(load_mask_model(model_file("segmentation/mediapipe_hair_segmentation")));
  EXPECT_EQ(hair.plan_options.inputs[0].scale, (std::array<float, 4>{1, 1, 1, 1}));
  EXPECT_TRUE(hair.previous_mask);
  EXPECT_EQ(hair.plan_options.outputs[0].classes, std::vector<int32_t>{1});

  for (const char* name : {"mediapipe_selfie_segmenter_256", "bodypix_float_050_8", "unet_person_08_dynrange",
                           "deeplabv3_mnv2_dm05_pascal_quant"}) {
    const auto mask = value_of(load_mask_model(model_file(std::string("segmentation/") + name)));
    EXPECT_FALSE(mask.previous_mask) << name;
    EXPECT_EQ(mask.classes.has_value(),
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
    const auto mask = value_of(load_mask_model(red_model(c.head)));
    const OutputSpec& spec = mask.plan_options.outputs[0];
    EXPECT_EQ(spec.activation, c.activation) << static_cast<int>(c.head);
    EXPECT_FLOAT_EQ(spec.scale, c.scale) << static_cast<int>(c.head);
    EXPECT_EQ(spec.offset, 0) << static_cast<int>(c.head);
  }
}

TEST(MaskModel, ClassNumbersOfAnyType) {
  for (const Head head : {Head::kClassNumbers, Head::kFloatNumbers, Head::kByteNumbers}) {
    const auto mask = value_of(load_mask_model(red_model(head)));
    ASSERT_TRUE(mask.classes) << static_cast<int>(head);
    EXPECT_EQ(mask.classes->channels, 0) << static_cast<int>(head);
    EXPECT_EQ(mask.classes->width, 16) << static_cast<int>(head);
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
  const auto load = [](const ModelShape& shape) { return value_of(load_mask_model(shaped_model(shape))); };
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

// The frame is the largest image, wherever it is; states have the shapes of outputs, in their order; the alpha has one
// channel.
TEST(MaskModel, MattingModelsHaveStates) {
  const auto model = value_of(Model::load(matting_model()));
  MaskModel mask = value_of(describe_mask_model(*model, std::nullopt, {}));
  ASSERT_EQ(model->inputs()[mask.frame_input].shape.dim(3), 3);
  EXPECT_TRUE(mask.recurrent);
  EXPECT_FALSE(mask.classes);
  ASSERT_TRUE(mask.ratio_input);
  EXPECT_EQ(model->inputs()[*mask.ratio_input].name, "downsample_ratio");
  EXPECT_EQ(model->outputs()[mask.output].shape.dim(3), 1);
  std::vector<std::pair<size_t, size_t>> states;
  for (size_t i = 0; i < mask.plan_options.inputs.size(); ++i) {
    const InputSpec& input = mask.plan_options.inputs[i];
    if (input.source == InputSpec::Source::kPrevious) states.emplace_back(i, input.previous);
  }
  EXPECT_EQ(states, (std::vector<std::pair<size_t, size_t>>{{0, 1}, {1, 2}}));
  using enum OutputSpec::Target;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(mask.plan_options.outputs[i].target, i == mask.output ? kTexture : kNone) << i;
  }
  EXPECT_EQ(downsample_ratio(mask), 1);
  mask.width = 1280;
  mask.height = 720;
  EXPECT_FLOAT_EQ(downsample_ratio(mask), 0.4F);
  // The application can choose another output, and a fourth input channel is no state.
  MaskModelOptions colors;
  colors.output = 0;
  EXPECT_TRUE(value_of(describe_mask_model(*model, std::nullopt, colors)).classes);
  EXPECT_FALSE(value_of(load_mask_model(red_model(Head::kRemembers))).recurrent);
  const MaskModel previous = value_of(load_mask_model(two_input_model(1)));
  EXPECT_EQ(previous.frame_input, 1U);
  EXPECT_TRUE(previous.recurrent);
  // A second image is no state.
  const auto two = load_mask_model(two_input_model(3));
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.status().message().find("continues input 1"), std::string::npos) << two.status().message();
}

TEST(MaskModel, ModelsWithoutAMaskAreNamed) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  expect_failure(load_mask_model(model_file("pose/movenet_singlepose_lightning_int8_v4")),
                 {"MoveNet", "a model for pose"});
}

}  // namespace
}  // namespace sightglass::test
