// One-stage models, from an image in a texture to people in a buffer, compared with decoded TensorFlow Lite outputs for
// the same image.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gl_pictures.h"
#include "gpu_engine/internals.h"
#include "gst/detect/detect_reference.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "pose_case.h"
#include "reference_decoders.h"

namespace sightglass::test {
namespace {

using Role = PoseModel::Role;

// In pixels of the model input, over the points with a confident reference.
struct Deviation {
  float greatest = 0, mean = 0, score = 0;
  int points = 0;
};
Deviation compare(const Person& found, const ReferencePerson& expected, const PoseModel& model, float sure = 0) {
  Deviation deviation;
  for (size_t k = 0; k < expected.points.size(); ++k) {
    const ReferencePoint& point = expected.points[k];
    deviation.score = std::max(deviation.score, std::abs(found.points[k].visibility - point.score));
    if (point.score < sure) continue;
    const float dx = found.points[k].x * static_cast<float>(model.width) - 0.5F - point.x;
    const float dy = found.points[k].y * static_cast<float>(model.height) - 0.5F - point.y;
    deviation.greatest = std::max(deviation.greatest, std::hypot(dx, dy));
    deviation.mean += std::hypot(dx, dy);
    ++deviation.points;
  }
  if (deviation.points > 0) deviation.mean /= static_cast<float>(deviation.points);
  std::printf("%d points: %.4f pixels at most, %.4f in the mean; scores %.5f at most\n", deviation.points,
              deviation.greatest, deviation.mean, deviation.score);
  return deviation;
}

class OneStageTest : public PoseTest {
 protected:
  Persons find(const PoseModel& model, const std::string& picture, const FindOptions& options) {
    const auto finder = one_stage_finder(model);
    const UprightFrame frame = frame_of(picture);
    const Status status = finder->find(frame, options);
    EXPECT_TRUE(status.ok()) << status.message();
    return read(finder->found());
  }
};

TEST_F(OneStageTest, MoveNet) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const std::string name = "movenet_singlepose_lightning_int8_v4";
  const PoseModel model = load(model_file(name));
  const Golden golden = golden_of(name);
  ReferencePerson expected;
  for (size_t k = 0; k < 17; ++k) {
    const float* n = golden.outputs[0].data() + 3 * k;
    expected.points.push_back({n[1] * 192 - 0.5F, n[0] * 192 - 0.5F, n[2]});
  }
  const Persons found = find(model, golden.picture, {.max_persons = 1, .person_score = 0.2F});
  ASSERT_EQ(found.count, 1);
  ASSERT_EQ(found.persons[0].points_count, 17);
  const Deviation deviation = compare(found.persons[0], expected, model, 0.2F);
  EXPECT_LE(deviation.greatest, 0.05F);
  EXPECT_LE(deviation.score, 0.05F);
}

// The recorded outputs are those of pictures in [-1,1]; the element feeds the second model others.
PoseModelOptions fed_as_recorded(const std::string& name) {
  PoseModelOptions options;
  if (name == "posenet_mnv1_100_257_multi_kpt_int8") options.normalization = {.scale = 2, .offset = -1};
  return options;
}

TEST_F(OneStageTest, PoseNetForOnePerson) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  for (const std::string name : {"posenet_mnv1_075_353x481_quant", "posenet_mnv1_100_257_multi_kpt_int8"}) {
    const PoseModel model = load(model_file(name), fed_as_recorded(name));
    const Golden golden = golden_of(name);
    const float stride = name.find("353") != std::string::npos ? 16 : 32;
    const ReferencePerson expected =
        best_of_cells(golden.grids[model.outputs[Role::kHeat]], golden.grids[model.outputs[Role::kOffsets]], stride);
    const Persons found = find(model, golden.picture, {.max_persons = 1, .person_score = 0});
    ASSERT_EQ(found.count, 1);
    // The input of the second model is quantized to integers, only 0 and 1 for this image, so its scores are low.
    const Deviation deviation = compare(found.persons[0], expected, model);
    EXPECT_LE(deviation.mean, 0.05F) << name;
    EXPECT_LE(deviation.score, 0.05F) << name;
  }
}

TEST_F(OneStageTest, PoseNetForSeveralPeople) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  for (const std::string name : {"posenet_mnv1_075_353x481_quant", "posenet_mnv1_100_257_multi_kpt_int8"}) {
    const PoseModel model = load(model_file(name), fed_as_recorded(name));
    const Golden golden = golden_of(name);
    const float stride = name.find("353") != std::string::npos ? 16 : 32;
    const auto grid = [&](Role role) { return golden.grids[model.outputs[role]]; };
    Grid forward = grid(Role::kForward), backward;
    if (model.has(Role::kBackward)) {
      backward = grid(Role::kBackward);
    } else {  // one behind the other in each cell
      backward = forward;
      for (Grid* half : {&forward, &backward}) {
        const Grid both = grid(Role::kForward);
        half->channels = 32;
        half->numbers.clear();
        for (int cell = 0; cell < both.rows * both.columns; ++cell) {
          const float* first = both.numbers.data() + cell * 64 + (half == &backward ? 32 : 0);
          half->numbers.insert(half->numbers.end(), first, first + 32);
        }
      }
    }
    const auto expected = grow_persons(grid(Role::kHeat), grid(Role::kOffsets), forward, backward, stride, kMaxPersons);
    const Persons found = find(model, golden.picture, {.max_persons = kMaxPersons, .person_score = 0});
    ASSERT_EQ(static_cast<size_t>(found.count), expected.size()) << name;
    for (size_t i = 0; i < expected.size(); ++i) {
      const Deviation deviation = compare(found.persons[i], expected[i], model);
      EXPECT_LE(deviation.greatest, 0.05F) << name;
      EXPECT_NEAR(found.persons[i].score, expected[i].score, 0.01F) << name;
    }
  }
}

TEST_F(OneStageTest, AFrameOfAnotherAspectRatioIsScaledToFit) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const PoseModel model = load(model_file("movenet_singlepose_lightning_int8_v4"));
  const Persons found =
      find(model, shared_directory() + "/media/mp_pose.jpg", {.max_persons = 1, .person_score = 0.2F});
  ASSERT_EQ(found.persons[0].points_count, 17);
  const auto& points = found.persons[0].points;
  EXPECT_LT(points[0].y, points[11].y);  // the nose is above the hips
}

// The model is more confident about a small person if it zooms in.
TEST_F(OneStageTest, MoveNetZoomsInOnAFoundPerson) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto finder = one_stage_finder(load(model_file("movenet_singlepose_lightning_int8_v4")));
  const UprightFrame frame = frame_of(shared_directory() + "/media/mp_pose.jpg");
  const auto find = [&](const UprightFrame& in, float seconds) {
    EXPECT_TRUE(finder->find(in, {.max_persons = 1, .person_score = 0, .seconds = seconds}).ok());
    return read(finder->found()).persons[0];
  };
  const Person first = find(frame, -1);
  Person next = first;
  for (int i = 0; i < 3; ++i) next = find(frame, 0.033F);
  std::printf("mean score %.3f, then %.3f\n", first.score, next.score);
  EXPECT_GT(next.score, first.score + 0.02F);
  EXPECT_NEAR(next.points[9].x, 0.695F, 0.015F);  // the left wrist according to BlazePose
  EXPECT_NEAR(next.points[9].y, 0.474F, 0.015F);
  // After a discontinuity, or without a person, the model gets the whole frame.
  EXPECT_EQ(find(frame, -1).points[9], first.points[9]);
  const UprightFrame nothing = frame_of(Rgba(frame.width, frame.height));
  for (int i = 0; i < 3; ++i) find(nothing, 0.033F);
  EXPECT_EQ(find(frame, 0.033F).points[9], first.points[9]);
}

// A model whose output is its input image.
PoseModel numbers_as_pixels(int32_t height, int32_t width, const Shape& shape) {
  CaseBuilder builder(1);
  builder.node(OpType::kReshape, ReshapeAttr{shape}, {builder.input({1, height, width, 3})});
  auto model = value_of(model_from_graph(builder.build("numbers").graph));
  return value_of(describe_pose_model(model, {}));
}

TEST_F(OneStageTest, MoveNetForSeveralPeople) {
  const PoseModel model = numbers_as_pixels(7, 16, {1, 6, 56});
  ASSERT_EQ(model.kind, PoseKind::kMoveNetMulti);
  Rgba picture(16, 7);
  const auto number = [&](size_t person, size_t i) -> uint8_t& {
    const size_t n = person * 56 + i;
    return picture.pixels[n / 3 * 4 + n % 3];
  };
  number(1, 0) = 51;  // the nose: y, x, score
  number(1, 1) = 102;
  number(1, 2) = 204;
  number(1, 55) = 128;
  number(4, 55) = 255;
  number(5, 55) = 25;
  const auto finder = one_stage_finder(model);
  UprightFrame frame = frame_of(picture);
  ASSERT_TRUE(finder->find(frame, {.max_persons = 8, .person_score = 0.2F, .seconds = -1}).ok());
  const Persons found = read(finder->found());
  EXPECT_EQ(found.count, 6);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(found.persons[i].points_count, i == 1 || i == 4 ? 17 : 0) << i;
  EXPECT_NEAR(found.persons[1].points[0].x, 0.4F, 1e-3F);
  EXPECT_NEAR(found.persons[1].points[0].y, 0.2F, 1e-3F);
  EXPECT_NEAR(found.persons[1].points[0].visibility, 0.8F, 1e-3F);
  EXPECT_NEAR(found.persons[1].score, 0.5F, 0.01F);
  // Only the most likely ones up to the limit stay.
  ASSERT_TRUE(finder->find(frame, {.max_persons = 1, .person_score = 0.2F, .seconds = -1}).ok());
  EXPECT_EQ(read(finder->found()).persons[1].points_count, 0);
  EXPECT_EQ(read(finder->found()).persons[4].points_count, 17);
}

// PosenetDecoderOp for 20 people, more than are kept, against a loop over its values: bytes of an image. Points are in
// pixels.
TEST_F(OneStageTest, DecodedPosesOfSeveralPeople) {
  constexpr int32_t kPeople = 20, kWidth = 174, kHeight = 2;
  CaseBuilder builder(1);
  const ValueId row =
      builder.node(OpType::kReshape, ReshapeAttr{{1, kWidth * kHeight * 3}}, {builder.input({1, kHeight, kWidth, 3})});
  int32_t begin = 0;
  std::vector<ValueId> outputs;
  for (const Shape& shape : {Shape{1, kPeople}, Shape{1, kPeople, 17, 2}, Shape{1, kPeople, 17}, Shape{1}}) {
    StridedSliceAttr part;
    part.begin = {0, begin};
    part.stride = {1, 1};
    part.size = {1, static_cast<int32_t>(shape.elements())};
    part.shape = {1, static_cast<int32_t>(shape.elements())};
    outputs.push_back(
        builder.node(OpType::kReshape, ReshapeAttr{shape}, {builder.node(OpType::kStridedSlice, part, {row})}));
    begin += static_cast<int32_t>(shape.elements());
  }
  Graph graph = builder.build("poses").graph;
  graph.outputs = outputs;
  const PoseModel model = value_of(describe_pose_model(value_of(model_from_graph(std::move(graph))), {}));
  ASSERT_EQ(model.kind, PoseKind::kPoses);
  EXPECT_EQ(model.rows, kPeople);
  const auto finder = one_stage_finder(model);
  uint32_t state = 5;
  Rgba picture(kWidth, kHeight);
  for (size_t i = 0; i < picture.pixels.size(); ++i) {
    state = state * 1664525 + 1013904223;
    picture.pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(state >> 24);
  }
  picture.pixels[0] = picture.pixels[1] = 255;  // two people of the same score
  const auto value = [&](size_t i) { return static_cast<float>(picture.pixels[i / 3 * 4 + i % 3]) / 255; };
  std::vector<size_t> order(kPeople);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, value);
  for (const int32_t most : {8, 3}) {
    ASSERT_TRUE(finder->find(frame_of(picture), {.max_persons = most, .person_score = 0.2F, .seconds = -1}).ok());
    const Persons found = read(finder->found());
    ASSERT_EQ(found.count, kMaxPersons);
    double worst = 0;
    for (size_t slot = 0; slot < size_t{kMaxPersons}; ++slot) {
      const Person& person = found.persons[slot];
      const size_t of = order[slot];
      EXPECT_EQ(person.points_count, static_cast<int32_t>(slot) < most && value(of) >= 0.2F ? 17 : 0) << slot;
      EXPECT_NEAR(person.score, value(of), 1e-5F) << slot;
      for (size_t k = 0; k < 17; ++k) {
        const size_t at = kPeople + (of * 17 + k) * 2;
        worst = std::max({worst, std::abs(double{person.points[k].x} * kWidth - 0.5 - value(at + 1)),
                          std::abs(double{person.points[k].y} * kHeight - 0.5 - value(at))});
        EXPECT_NEAR(person.points[k].visibility, value(kPeople * 35 + of * 17 + k), 1e-5F);
      }
    }
    std::printf("points off by %.5f pixels at most\n", worst);
    EXPECT_LE(worst, 0.001);
  }
}

// A model whose output is the first values of its input image: 21 boxes of 32 x 32 pixels, with 17 keypoints each.
PoseModel yolo_of_pixels(const Shape& shape) {
  CaseBuilder builder(1);
  const int32_t numbers = 32 * 32 * 3;
  const ValueId row = builder.node(OpType::kReshape, ReshapeAttr{{1, numbers}}, {builder.input({1, 32, 32, 3})});
  StridedSliceAttr first;
  first.stride = {1, 1};
  first.size = {1, static_cast<int32_t>(shape.elements())};
  first.shape = {1, static_cast<int32_t>(shape.elements())};
  const ValueId values = builder.node(OpType::kStridedSlice, first, {row});
  builder.node(OpType::kReshape, ReshapeAttr{shape}, {values});
  return value_of(describe_pose_model(value_of(model_from_graph(builder.build("numbers").graph)), {}));
}

TEST_F(OneStageTest, YoloForSeveralPeople) {
  for (const bool boxes_last : {true, false}) {
    const PoseModel model = yolo_of_pixels(boxes_last ? Shape{1, 56, 21} : Shape{1, 21, 56});
    ASSERT_EQ(model.kind, PoseKind::kYolo);
    ASSERT_EQ(model.yolo->points, 17);
    EXPECT_EQ(model.skeleton, &coco_skeleton());
    const auto finder = one_stage_finder(model);
    uint32_t state = 5;
    int people = 0;
    double worst = 0;
    for (int round = 0; round < 20; ++round) {
      Rgba picture(32, 32);
      for (uint8_t& byte : picture.pixels) byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      std::vector<float> numbers;
      for (size_t i = 0; i < static_cast<size_t>(21 * 56); ++i) {
        numbers.push_back(static_cast<float>(picture.pixels[i / 3 * 4 + i % 3]) / 255);
      }
      for (size_t i = 3; i < picture.pixels.size(); i += 4) picture.pixels[i] = 255;
      const UprightFrame frame = frame_of(picture);
      ASSERT_TRUE(finder->find(frame, {.max_persons = 4, .person_score = 0.4F, .seconds = -1}).ok());
      const Persons found = read(finder->found());
      const auto expected = reference_yolo(model.yolo->layout, numbers, {}, {0.4F, 0.45F, false, 4});
      ASSERT_EQ(found.count, std::ssize(expected));
      for (size_t i = 0; i < expected.size(); ++i, ++people) {
        const Person& person = found.persons[i];
        ASSERT_EQ(person.points_count, 17);
        EXPECT_NEAR(person.score, expected[i].score, 1e-5F);
        for (int32_t k = 0; k < 17; ++k) {
          const auto value = [&](int32_t v) {
            const int32_t row = expected[i].row, n = 5 + 3 * k + v;
            return numbers[static_cast<size_t>(boxes_last ? n * 21 + row : row * 56 + n)];
          };
          const KeyPoint& point = person.points[static_cast<size_t>(k)];
          worst = std::max({worst, 32.0 * std::abs(point.x - value(0)), 32.0 * std::abs(point.y - value(1))});
          EXPECT_NEAR(point.visibility, value(2), 1e-5F);
        }
      }
    }
    std::printf("%d people, keypoints off by %.5f pixels at most\n", people, worst);
    EXPECT_GT(people, 40);
    EXPECT_LE(worst, 0.01);
  }
}

TEST_F(OneStageTest, HeatmapMaximaMayBeBetweenCells) {
  const PoseModel model = numbers_as_pixels(16, 32, {1, 16, 16, 6});
  ASSERT_EQ(model.kind, PoseKind::kHeatMaps);
  Rgba picture(32, 16);
  const auto score = [&](size_t row, size_t column, size_t point) -> uint8_t& {
    const size_t n = (row * 16 + column) * 6 + point;
    return picture.pixels[n / 3 * 4 + n % 3];
  };
  score(4, 8, 2) = 200;
  score(4, 9, 2) = 150;
  score(4, 7, 2) = 100;
  score(3, 8, 2) = score(5, 8, 2) = 100;
  score(0, 0, 5) = 255;  // in the corner
  const auto finder = one_stage_finder(model);
  ASSERT_TRUE(finder->find(frame_of(picture), {.max_persons = 1, .person_score = 0.01F, .seconds = -1}).ok());
  const Person found = read(finder->found()).persons[0];
  ASSERT_EQ(found.points_count, 6);
  // The maximum of the parabola through 100, 200, 150 is a sixth of a cell to the right.
  EXPECT_NEAR(found.points[2].x, (8.5F + 1.0F / 6) / 16, 1e-3F);
  EXPECT_NEAR(found.points[2].y, 4.5F / 16, 1e-3F);
  EXPECT_NEAR(found.points[2].visibility, 200.0F / 255, 1e-3F);
  EXPECT_NEAR(found.points[5].x, 0.5F / 16, 1e-3F);
}

// A frame of 32 x 8 pixels, and its scalar scaling to an input of 32 x 16: unchanged between bars of 4 rows, or
// interpolated between two rows.
struct WideFrame {
  Rgba frame{32, 8};
  std::vector<float> numbers;

  WideFrame(Fit fit, uint32_t& random) {
    for (size_t i = 0; i < frame.pixels.size(); ++i) {
      frame.pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
    }
    const auto value = [&](int32_t y, int32_t i) {
      return static_cast<float>(frame.at(i / 3, std::clamp(y, 0, 7))[i % 3]) / 255;
    };
    for (int32_t y = 0; y < 16; ++y) {
      const int32_t beside = y / 2 + (y % 2 == 0 ? -1 : 1);
      for (int32_t i = 0; i < 96; ++i) {
        const float bars = y < 4 || y >= 12 ? 0 : value(y - 4, i);
        numbers.push_back(fit == Fit::kLetterbox ? bars : 0.75F * value(y / 2, i) + 0.25F * value(beside, i));
      }
    }
  }
  // From fractions of the input to those of the frame.
  static float y_of(float y, Fit fit) { return fit == Fit::kLetterbox ? 2 * y - 0.5F : y; }
};
constexpr Fit kFits[] = {Fit::kLetterbox, Fit::kStretch, Fit::kLetterbox, Fit::kStretch};

TEST_F(OneStageTest, HeatmapsOfWideFramesAreScaledAsSet) {
  const PoseModel model = numbers_as_pixels(16, 32, {1, 16, 16, 6});
  const auto finder = one_stage_finder(model);
  uint32_t random = 7;
  for (const Fit fit : kFits) {
    const WideFrame wide(fit, random);
    ASSERT_TRUE(finder->find(frame_of(wide.frame), {.max_persons = 1, .person_score = 0.01F, .fit = fit}).ok());
    const Person found = read(finder->found()).persons[0];
    ASSERT_EQ(found.points_count, 6);
    const ReferencePerson expected = best_of_heatmaps({16, 16, 6, wide.numbers}, 32, 16);
    double worst = 0;
    for (size_t k = 0; k < 6; ++k) {
      const ReferencePoint& point = expected.points[k];
      const float x = (point.x + 0.5F) / 32, y = WideFrame::y_of((point.y + 0.5F) / 16, fit);
      worst = std::max({worst, 32.0 * std::abs(found.points[k].x - x), 8.0 * std::abs(found.points[k].y - y)});
      EXPECT_NEAR(found.points[k].visibility, point.score, 2e-3F);
    }
    std::printf("%s: off by %.5f pixels of the frame at most\n", fit == Fit::kStretch ? "stretch" : "letterbox", worst);
    EXPECT_LE(worst, 0.02);
    EXPECT_NEAR(found.score, expected.score, 2e-3F);
  }
}

// 17 points in 24 x 64 pixels, with two columns per column and two rows per row: 17 x (48 + 128) of the 4608 values of
// the input.
TEST_F(OneStageTest, SimCcHasColumnsAndRows) {
  CaseBuilder builder(1);
  const ValueId row = builder.node(OpType::kReshape, ReshapeAttr{{1, 4608}}, {builder.input({1, 64, 24, 3})});
  std::vector<ValueId> outputs;
  for (const int32_t count : {128, 48}) {  // in any order: the proportions tell
    StridedSliceAttr part;
    part.begin = {0, count == 48 ? 17 * 128 : 0};
    part.stride = {1, 1};
    part.size = {1, 17 * count};
    part.shape = {1, 17 * count};
    outputs.push_back(builder.node(OpType::kReshape, ReshapeAttr{{1, 17, count}},
                                   {builder.node(OpType::kStridedSlice, part, {row})}));
  }
  Graph graph = builder.build("numbers").graph;
  graph.outputs = outputs;
  const PoseModel model = value_of(describe_pose_model(value_of(model_from_graph(std::move(graph))), {}));
  ASSERT_EQ(model.kind, PoseKind::kSimCc);
  EXPECT_EQ(model.columns, 48);
  EXPECT_EQ(model.rows, 128);
  EXPECT_EQ(model.skeleton, &coco_skeleton());
  const auto finder = one_stage_finder(model);
  uint32_t random = 3;
  double worst = 0;
  for (int round = 0; round < 20; ++round) {
    const Rgba picture = painted(24, 64, [&](int32_t, int32_t) {
      std::array<uint8_t, 3> color{};
      // Few values, so that there are equal ones in some rounds.
      const uint32_t coarse = round % 2 == 0 ? 1 : 64;
      for (uint8_t& c : color) {
        c = static_cast<uint8_t>(((random = random * 1664525 + 1013904223) >> 24) / coarse * coarse);
      }
      return color;
    });
    std::vector<float> numbers;
    for (size_t i = 0; i < picture.pixels.size(); ++i) {
      if (i % 4 != 3) numbers.push_back(static_cast<float>(picture.pixels[i]) / 255);
    }
    const std::vector<float> rows(numbers.begin(), numbers.begin() + 17 * 128),
        columns(numbers.begin() + 17 * 128, numbers.begin() + 17 * 176);
    ASSERT_TRUE(finder->find(frame_of(picture), {.max_persons = 1, .person_score = 0.1F}).ok());
    const Person found = read(finder->found()).persons[0];
    ASSERT_EQ(found.points_count, 17);
    const ReferencePerson expected = best_of_simcc(columns, rows, 17, 24, 64);
    for (size_t k = 0; k < 17; ++k) {
      worst = std::max({worst, std::abs(24.0 * found.points[k].x - 0.5 - expected.points[k].x),
                        std::abs(64.0 * found.points[k].y - 0.5 - expected.points[k].y)});
      EXPECT_NEAR(found.points[k].visibility, expected.points[k].score, 1e-5F);
    }
    EXPECT_NEAR(found.score, expected.score, 1e-5F);
  }
  std::printf("off by %.5f pixels at most\n", worst);
  EXPECT_LE(worst, 0.001);
}

// A MoveNet for one person gets the whole frame, and does not zoom in.
TEST_F(OneStageTest, MoveNetGetsStretchedFramesAsSet) {
  CaseBuilder builder(1);
  const ValueId row = builder.node(OpType::kReshape, ReshapeAttr{{1, 1536}}, {builder.input({1, 16, 32, 3})});
  StridedSliceAttr first;
  first.stride = {1, 1};
  first.size = {1, 51};
  first.shape = {1, 51};
  builder.node(OpType::kReshape, ReshapeAttr{{1, 1, 17, 3}}, {builder.node(OpType::kStridedSlice, first, {row})});
  const PoseModel model = value_of(describe_pose_model(value_of(model_from_graph(builder.build("numbers").graph)), {}));
  ASSERT_EQ(model.kind, PoseKind::kMoveNet);
  const auto finder = one_stage_finder(model);
  uint32_t random = 9;
  for (int i = 0; i < 3; ++i) {
    const WideFrame wide(Fit::kStretch, random);
    const std::vector<float>& numbers = wide.numbers;
    const FindOptions options{.max_persons = 1, .person_score = 0.01F, .seconds = 0.03F, .fit = Fit::kStretch};
    ASSERT_TRUE(finder->find(frame_of(wide.frame), options).ok());
    const Persons found = read(finder->found());
    ASSERT_EQ(found.count, 1);
    ASSERT_EQ(found.persons[0].points_count, 17);
    float score = 0;
    for (size_t k = 0; k < 17; ++k) {
      EXPECT_NEAR(found.persons[0].points[k].x, numbers[3 * k + 1], 1e-5F) << k;
      EXPECT_NEAR(found.persons[0].points[k].y, numbers[3 * k], 1e-5F) << k;
      EXPECT_NEAR(found.persons[0].points[k].presence, numbers[3 * k + 2], 1e-5F) << k;
      score += numbers[3 * k + 2] / 17;
    }
    EXPECT_NEAR(found.persons[0].score, score, 1e-5F);
    // With letterbox, the next frame begins with a look at all of it.
    const UprightFrame same = frame_of(wide.frame);
    FindOptions cropped = options;
    cropped.fit = Fit::kLetterbox;
    ASSERT_TRUE(finder->find(same, cropped).ok());
    const KeyPoint whole = read(finder->found()).persons[0].points[0];
    cropped.seconds = -1;
    ASSERT_TRUE(finder->find(same, cropped).ok());
    EXPECT_EQ(read(finder->found()).persons[0].points[0], whole);
  }
}

}  // namespace
}  // namespace sightglass::test
