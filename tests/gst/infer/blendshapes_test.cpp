// A whole face landmarker, from its bundle: detector, landmarks, and blendshapes on the GPU, compared with the scalar
// reference of the three models in sequence.
#include "infer/blendshapes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "detect/detect_reference.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/read_buffer.h"
#include "harness/value_of.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "infer/inferencer_case.h"
#include "infer/landmarks.h"
#include "model_store.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

using Point = std::array<float, 2>;

struct Models {
  InferModel landmarks, detector;
  BlendshapeModel blendshapes;
};

std::optional<Models> load_models() {
  if (!shared_dir() || !std::filesystem::exists(*shared_dir() / "second/models/face_landmarker.task")) return {};
  const std::string bundle = (*shared_dir() / "second/models/face_landmarker.task").string();
  const auto load = [&](const char* member, InferTask task) {
    const auto stored = value_of(load_stored_model(member_path(bundle, member), {}));
    InferModelOptions options;
    options.task = task;
    return value_of(describe_infer_model(stored.model, stored.known, options));
  };
  Models models;
  models.landmarks = load("face_landmarks_detector.tflite", InferTask::kAuto);
  models.landmarks.in_region = true;
  models.detector = load("face_detector.tflite", InferTask::kDetection);
  const auto third = value_of(load_stored_model(member_path(bundle, "face_blendshapes.tflite"), {}));
  models.blendshapes = value_of(describe_blendshape_model(third.model));
  return models;
}

// A square of the frame: center and side in pixels, rotation in radians.
struct Square {
  float x = 0, y = 0, side = 0, rotation = 0;
  Point turned(Point v) const {
    const float c = std::cos(rotation), s = std::sin(rotation);
    return {c * v[0] - s * v[1], s * v[0] + c * v[1]};
  }
  // The pixel at these fractions of the square.
  Point at(Point fraction) const {
    const Point v = turned({(fraction[0] - 0.5F) * side, (fraction[1] - 0.5F) * side});
    return {x + v[0], y + v[1]};
  }
};

// Bilinear.
std::array<float, 3> sample(const Rgba& picture, Point pixel) {
  const float x = std::clamp(pixel[0] - 0.5F, 0.0F, static_cast<float>(picture.width - 1));
  const float y = std::clamp(pixel[1] - 0.5F, 0.0F, static_cast<float>(picture.height - 1));
  const auto left = static_cast<int32_t>(x), top = static_cast<int32_t>(y);
  const int32_t right = std::min(left + 1, picture.width - 1), bottom = std::min(top + 1, picture.height - 1);
  const float u = x - static_cast<float>(left), v = y - static_cast<float>(top);
  std::array<float, 3> color{};
  for (size_t c = 0; c < 3; ++c) {
    const float above =
        static_cast<float>(picture.at(left, top)[c]) * (1 - u) + static_cast<float>(picture.at(right, top)[c]) * u;
    const float below = static_cast<float>(picture.at(left, bottom)[c]) * (1 - u) +
                        static_cast<float>(picture.at(right, bottom)[c]) * u;
    color[c] = (above * (1 - v) + below * v) / 255;
  }
  return color;
}

// The mean of a cell around a place, whose sides are those vectors: black if its center is outside of the image.
std::array<float, 3> sample_cell(const Rgba& picture, Point pixel, Point right, Point down) {
  const auto fetches_along = [](Point side) {
    return std::clamp(static_cast<int>(std::ceil(0.5F * std::hypot(side[0], side[1]) - 0.02F)), 1, kMostFetches);
  };
  const bool inside = pixel[0] >= 0 && pixel[1] >= 0 && pixel[0] <= static_cast<float>(picture.width) &&
                      pixel[1] <= static_cast<float>(picture.height);
  const int across = fetches_along(right), along = fetches_along(down), count = across * along;
  std::array<float, 3> mean{};
  for (int i = 0; inside && i < count; ++i) {
    const float u = (static_cast<float>(i % across) + 0.5F) / static_cast<float>(across) - 0.5F;
    const float v = (static_cast<float>(i / across) + 0.5F) / static_cast<float>(along) - 0.5F;
    const Point at{pixel[0] + u * right[0] + v * down[0], pixel[1] + u * right[1] + v * down[1]};
    const auto color = sample(picture, at);
    for (size_t c = 0; c < 3; ++c) mean[c] += color[c] / static_cast<float>(count);
  }
  return mean;
}

// Runs the reference of a model on the image, whose pixel for a fraction of the input is `place(fraction)`.
template <typename Place>
std::vector<HostTensor> run_reference(const InferModel& model, const Rgba& picture, Place place) {
  std::vector<float> values;
  const InputSpec& spec = model.plan_options.inputs[0];
  const auto width = static_cast<float>(model.width), height = static_cast<float>(model.height);
  const Point corner = place(Point{0, 0}), end_of_row = place(Point{1, 0}), end_of_column = place(Point{0, 1});
  const Point right{(end_of_row[0] - corner[0]) / width, (end_of_row[1] - corner[1]) / width};
  const Point down{(end_of_column[0] - corner[0]) / height, (end_of_column[1] - corner[1]) / height};
  for (int32_t row = 0; row < model.height; ++row) {
    for (int32_t column = 0; column < model.width; ++column) {
      const Point middle =
          place(Point{(static_cast<float>(column) + 0.5F) / width, (static_cast<float>(row) + 0.5F) / height});
      const std::array<float, 3> color = sample_cell(picture, middle, right, down);
      for (size_t c = 0; c < 3; ++c) values.push_back(color[c] * spec.scale[c] + spec.offset[c]);
    }
  }
  const auto outputs =
      value_of(ref::run(graph_of(*model.model), {HostTensor::from_floats(model.model->inputs()[0].shape, values)}));
  return outputs;
}

std::vector<float> numbers(const HostTensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

// The reference of the blendshapes of landmarks in pixels.
std::vector<float> reference_blendshapes(const BlendshapeModel& model, const std::vector<Point>& pixels) {
  std::vector<float> input;
  for (const int32_t landmark : kBlendshapeLandmarks) {
    for (const float coordinate : pixels[static_cast<size_t>(landmark)]) input.push_back(coordinate);
  }
  const auto outputs =
      value_of(ref::run(graph_of(*model.model), {HostTensor::from_floats(model.model->inputs()[0].shape, input)}));
  return numbers(outputs[0]);
}

struct Reference {
  std::vector<Point> pixels;  // of the landmarks
  std::vector<float> blendshapes;
};

Reference reference(const Models& models, const Rgba& picture) {
  const auto width = static_cast<float>(picture.width), height = static_cast<float>(picture.height);
  // The detector samples the whole frame with bars.
  const InputTransform whole = make_input_transform(picture.width, picture.height, models.detector.width,
                                                    models.detector.height, Fit::kLetterbox);
  const auto detected = run_reference(models.detector, picture, [&](Point p) {
    return Point{(whole.m[0] * p[0] + whole.m[1] * p[1] + whole.m[2]) * width,
                 (whole.m[3] * p[0] + whole.m[4] * p[1] + whole.m[5]) * height};
  });
  const InferModel::RawDetector& layout = *models.detector.raw_detector;
  const auto found = reference_ssd(layout.layout, numbers(detected[layout.boxes]), numbers(detected[layout.scores]),
                                   whole, {0.5F, 0.3F, true, 10});
  EXPECT_EQ(found.size(), 1U);
  if (found.empty()) return {};
  // A square around the face, 1.5 times as large, the eyes level.
  const auto& face = found[0];
  const float right = (face.points[1][0] - face.points[0][0]) * width;
  const float down = (face.points[1][1] - face.points[0][1]) * height;
  const Square square{0.5F * (face.box[0] + face.box[2]) * width, 0.5F * (face.box[1] + face.box[3]) * height,
                      1.5F * std::max((face.box[2] - face.box[0]) * width, (face.box[3] - face.box[1]) * height),
                      std::atan2(down, right)};
  const auto landmarks = run_reference(models.landmarks, picture, [&](Point fraction) { return square.at(fraction); });
  const std::vector<float> places = numbers(landmarks[models.landmarks.output]);
  Reference result;
  for (size_t i = 0; i < static_cast<size_t>(kMaxLandmarks); ++i) {
    result.pixels.push_back(square.at({places[3 * i] / static_cast<float>(models.landmarks.width),
                                       places[3 * i + 1] / static_cast<float>(models.landmarks.height)}));
  }
  result.blendshapes = reference_blendshapes(models.blendshapes, result.pixels);
  return result;
}

class BlendshapesTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped()) return;
    models_ = load_models();
    if (!models_) GTEST_SKIP() << "no face_landmarker.task in ../shared";
  }
  RunningInferencer make(const DeviceLimits& limits) {
    const auto plan = [&](const std::shared_ptr<const Model>& model, const PlanOptions& options) {
      return value_of(Plan::build(model, limits, options));
    };
    const Models& m = *models_;
    const GlTarget target{nullptr,          ShareGroup::create(gl(), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    auto made = Inferencer::create(target, plan(m.landmarks.model, m.landmarks.plan_options), m.landmarks,
                                   Inferencer::Detector{m.detector, plan(m.detector.model, m.detector.plan_options)},
                                   plan(m.blendshapes.model, m.blendshapes.plan_options));
    return {target, value_of(std::move(made))};
  }
  // The results for one frame.
  std::unique_ptr<LandmarkObjects> process(RunningInferencer& running, const Rgba& picture, const InferLook& look) {
    running.process(gl(), picture, look, Fit::kLetterbox);
    const GLuint buffer = running.inferencer->traits().found.buffer;
    const auto content = read_buffer<LandmarkObjects>(gl(), {buffer, 0, sizeof(LandmarkObjects)});
    return std::make_unique<LandmarkObjects>(content.at(0));
  }
  static InferLook look(int32_t faces) {
    InferLook look;
    look.max_results = faces;
    look.blendshapes = true;
    return look;
  }
  static std::vector<Point> pixels_of(const Landmarks& face, const Rgba& picture) {
    std::vector<Point> pixels;
    for (const auto& point : face.points) {
      pixels.push_back({point[0] * static_cast<float>(picture.width), point[1] * static_cast<float>(picture.height)});
    }
    return pixels;
  }
  static float greatest_difference(std::span<const float> a, std::span<const float> b) {
    float greatest = 0;
    for (size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::abs(a[i] - b[i]));
    return greatest;
  }
  std::optional<Models> models_;
};

// The samplers of the GPU round weights to 8 bits: hence the tolerances of the whole sequence.
TEST_F(BlendshapesTest, WholeBundleMatchesTheReference) {
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  ASSERT_GT(portrait.width, 0);
  const Reference expected = reference(*models_, portrait);
  ASSERT_EQ(expected.blendshapes.size(), static_cast<size_t>(kBlendshapes));
  auto running = make(device().limits);
  ASSERT_NE(running.runner, nullptr);
  const auto got = process(running, portrait, look(1));
  ASSERT_EQ(got->objects[0].count, kMaxLandmarks);
  ASSERT_EQ(got->blendshapes, kBlendshapes);
  const Landmarks& face = got->objects[0];
  const std::vector<Point> pixels = pixels_of(face, portrait);
  float farthest = 0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    farthest =
        std::max(farthest, std::hypot(pixels[i][0] - expected.pixels[i][0], pixels[i][1] - expected.pixels[i][1]));
    // The head in the photograph.
    EXPECT_GT(pixels[i][0], 280);
    EXPECT_LT(pixels[i][0], 530);
    EXPECT_GT(pixels[i][1], 25);
    EXPECT_LT(pixels[i][1], 370);
  }
  const float whole = greatest_difference(face.blendshapes, expected.blendshapes);
  const float last = greatest_difference(face.blendshapes, reference_blendshapes(models_->blendshapes, pixels));
  std::printf(
      "score %.4f; landmarks within %.4f pixels, blendshapes within %.5f of the three models in sequence, and "
      "within %.2e of the last one by itself\n",
      face.score, farthest, whole, last);
  EXPECT_GT(face.score, 0.99);
  EXPECT_LT(farthest, 0.4) << "of a face of 250 pixels";
  EXPECT_LT(whole, 0.02);
  EXPECT_LT(last, 1e-4);
  // MediaPipe publishes these values for this photograph, and allows its own implementations 0.1.
  for (const auto& [name, value] : {std::pair{"browDownLeft", 0.79235F},
                                    {"browDownRight", 0.81483F},
                                    {"mouthSmileLeft", 0.92719F},
                                    {"mouthSmileRight", 0.90628F}}) {
    const auto at = std::ranges::find(kBlendshapeNames, std::string_view(name)) - kBlendshapeNames.begin();
    std::printf("%s %.4f, published %.4f\n", name, face.blendshapes[static_cast<size_t>(at)], value);
    EXPECT_NEAR(face.blendshapes[static_cast<size_t>(at)], value, 0.1) << name;
  }
}

TEST_F(BlendshapesTest, EveryFaceHasItsOwn) {
  const Rgba people = load_picture((*shared_dir() / "second/media/two_people_whitehouse.jpg").string());
  if (people.width == 0) GTEST_SKIP() << "no photograph in ../shared";
  auto running = make(device().limits.clamped_to_minimum());
  ASSERT_NE(running.runner, nullptr);
  const auto got = process(running, people, look(3));
  int faces = 0;
  for (const Landmarks& face : got->objects) {
    if (&face - got->objects.data() >= got->count || face.count == 0) continue;
    ++faces;
    const auto expected = reference_blendshapes(models_->blendshapes, pixels_of(face, people));
    const float difference = greatest_difference(face.blendshapes, expected);
    std::printf("face %d: blendshapes within %.2e of the reference\n", face.id, difference);
    EXPECT_LT(difference, 1e-4);
  }
  EXPECT_EQ(faces, 2);
  EXPECT_GT(greatest_difference(got->objects[0].blendshapes, got->objects[1].blendshapes), 0.01F);
}

TEST_F(BlendshapesTest, RunOnlyForFacesAndOnRequest) {
  auto running = make(device().limits);
  ASSERT_NE(running.runner, nullptr);
  EXPECT_EQ(process(running, Rgba(320, 240), look(2))->blendshapes, 0) << "an empty frame";
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  EXPECT_EQ(process(running, portrait, look(2))->blendshapes, kBlendshapes);
  InferLook without = look(2);
  without.blendshapes = false;
  const auto got = process(running, portrait, without);
  EXPECT_EQ(got->objects[0].count, kMaxLandmarks);
  EXPECT_EQ(got->blendshapes, 0);
}

TEST_F(BlendshapesTest, OtherModelsAreRefused) {
  expect_failure(describe_blendshape_model(models_->detector.model), {"this is not a blendshape model"});
}

}  // namespace
}  // namespace sightglass::test
