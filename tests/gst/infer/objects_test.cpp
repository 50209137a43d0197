// A model on the objects that another one has found: which objects it runs on, what it samples of them, and what is
// kept of them, against the mean colors of the boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "infer/inferencer_case.h"
#include "infer/labels.h"
#include "infer/landmarks.h"
#include "infer/object_regions.h"
#include "known_models.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 160, kHeight = 96;

// The frame is black, with a filled rectangle for each object, in pixels, rotated around its center.
struct Thing {
  int32_t x, y, width, height;
  std::array<uint8_t, 3> color;
  int32_t class_id = 0, id = 0;
  double angle = 0;  // 0: the box has no corners

  // Of a place in the box, in fractions of its sides from its center.
  std::array<double, 2> pixel(double across, double down) const {
    const double c = std::cos(angle), s = std::sin(angle), right = across * width, below = down * height;
    return {x + width / 2.0 + c * right - s * below, y + height / 2.0 + s * right + c * below};
  }
  // Whether the center of a pixel is in it.
  bool covers(int32_t column, int32_t row) const {
    const double right = column + 0.5 - x - width / 2.0, below = row + 0.5 - y - height / 2.0;
    const double c = std::cos(angle), s = std::sin(angle);
    return std::abs(c * right + s * below) < width / 2.0 && std::abs(c * below - s * right) < height / 2.0;
  }
};

class ObjectsTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    load(red_model(Head::kVector), {});
    found_ = make_storage(gl(), sizeof(Detections));
    settings_->look.threshold = 0;
    settings_->max_results = 3;
    settings_->objects.most = kMaxObjectRuns;
  }
  void TearDown() override {
    running_ = {};
    found_ = {};
    GlTest::TearDown();
  }
  // The model outputs the mean color of its input.
  void load(const std::string& path, const InferModelOptions& options, const ModelOptions& how = {}) {
    load(value_of(Model::load(path, how)), recognize_model(path), options);
  }
  void load(std::shared_ptr<const Model> model, const std::optional<KnownModel>& known, InferModelOptions options) {
    options.on_objects = true;
    model_ = value_of(describe_infer_model(std::move(model), known, options));
    sized_ = false;
    const auto plan = value_of(Plan::build(model_.model, device().limits, model_.plan_options));
    const GlTarget target{nullptr,          ShareGroup::create(gl(), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    running_ = {target, value_of(Inferencer::create(target, plan, model_))};
  }

  static Rgba frame_of(const std::vector<Thing>& things) {
    Rgba frame(kWidth, kHeight);
    for (size_t i = 3; i < frame.pixels.size(); i += 4) frame.pixels[i] = 255;
    for (const Thing& thing : things) {
      for (int32_t y = 0; y < kHeight; ++y) {
        for (int32_t x = 0; x < kWidth; ++x) {
          if (thing.covers(x, y)) std::ranges::copy(thing.color, frame.at(x, y));
        }
      }
    }
    return frame;
  }

  void read_bytes(const BufferRange& range, void* bytes, size_t size) {
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    const BufferBinding bound(gl(), GL_COPY_READ_BUFFER, range.buffer);
    const void* mapped =
        gl().MapBufferRange(GL_COPY_READ_BUFFER, range.offset, static_cast<GLsizeiptr>(size), GL_MAP_READ_BIT);
    if (mapped != nullptr) std::memcpy(bytes, mapped, size);
    gl().UnmapBuffer(GL_COPY_READ_BUFFER);
  }

  std::vector<ResultObject> run_in(const Rgba& frame, const Thing& thing) { return run({thing}, frame); }
  // Processes a frame with these objects, and returns them with what the model says of them.
  std::vector<ResultObject> run(const std::vector<Thing>& things, const Rgba& frame, uint64_t source = 1) {
    Detections content;
    content.count = static_cast<int32_t>(things.size());
    for (size_t i = 0; i < things.size(); ++i) {
      const Thing& t = things[i];
      Detection& d = content.detections[i];
      const auto x = static_cast<float>(t.x), y = static_cast<float>(t.y);
      const auto across = static_cast<float>(frame.width), down = static_cast<float>(frame.height);
      d.box = {x / across, y / down, (x + static_cast<float>(t.width)) / across,
               (y + static_cast<float>(t.height)) / down};
      if (t.angle != 0) {
        d.corners_count = 4;
        d.box = {1e9F, 1e9F, -1e9F, -1e9F};
        for (size_t k = 0; k < 4; ++k) {
          const auto corner = t.pixel(k == 1 || k == 2 ? 0.5 : -0.5, k >= 2 ? 0.5 : -0.5);
          d.points[k] = {static_cast<float>(corner[0]) / across, static_cast<float>(corner[1]) / down};
          for (size_t axis = 0; axis < 2; ++axis) {
            d.box[axis] = std::min(d.box[axis], d.points[k][axis]);
            d.box[2 + axis] = std::max(d.box[2 + axis], d.points[k][axis]);
          }
        }
      }
      d.score = 0.9F;
      d.class_id = t.class_id;
      d.id = t.id;
    }
    {
      const BufferBinding bound(gl(), GL_COPY_WRITE_BUFFER, found_.id());
      gl().BufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof(content), &content);
    }
    running_.inferencer->set_objects({{found_.id(), 0, sizeof(Detections)}, labels_, source, nullptr});
    const GlTexture in = upload(gl(), frame), out = make_texture(gl(), GL_RGBA8, frame.width, frame.height);
    const GlState before = snapshot_gl_state(gl());
    if (!std::exchange(sized_, true)) {
      const Status sized = running_.runner->resize({frame.width, frame.height}, *settings_);
      EXPECT_TRUE(sized.ok()) << sized.message();
    }
    FrameJob job;
    job.settings = std::make_shared<InferSettings>(*settings_);
    job.frame = {TextureRef{in.id(), GL_TEXTURE_2D, frame.width, frame.height}, {}, frame.width, frame.height};
    job.output = out.id();
    status_ = running_.runner->process(job);
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
    shown_ = download(gl(), out.id(), frame.width, frame.height);
    const Effect::Traits& traits = running_.inferencer->traits();
    FrameStamp stamp;
    stamp.width = frame.width;
    stamp.height = frame.height;
    std::vector<std::byte> bytes(static_cast<size_t>(traits.found.size));
    read_bytes(traits.found, bytes.data(), bytes.size());
    return traits.decode(bytes, stamp).objects;
  }
  std::vector<ResultObject> run(const std::vector<Thing>& things) { return run(things, frame_of(things)); }

  // The scores of a classifier whose logits are the mean color, in fractions, by class.
  static std::array<double, 3> scores_of(const std::array<double, 3>& mean) {
    std::array<double, 3> scores{};
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) sum += scores[i] = std::exp(mean[i]);
    for (double& score : scores) score /= sum;
    return scores;
  }
  static std::array<double, 3> color_of(const Thing& thing, double share = 1) {
    return {share * thing.color[0] / 255, share * thing.color[1] / 255, share * thing.color[2] / 255};
  }
  // Expects these scores of all three classes, best first.
  static void expect_scores(const ResultObject& object, const std::array<double, 3>& mean, double tolerance = 2e-3) {
    const auto expected = scores_of(mean);
    ASSERT_EQ(object.classifications.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const Classification& one = object.classifications[i];
      ASSERT_TRUE(one.class_id >= 0 && one.class_id < 3) << one.class_id;
      EXPECT_NEAR(one.score, expected[static_cast<size_t>(one.class_id)], tolerance) << "class " << one.class_id;
      if (i > 0) {
        EXPECT_LE(one.score, object.classifications[i - 1].score);
      }
    }
  }
  static int known(const std::vector<ResultObject>& objects) {
    return static_cast<int>(
        std::ranges::count_if(objects, [](const ResultObject& o) { return !o.classifications.empty(); }));
  }

  InferModel model_;
  RunningInferencer running_;
  std::shared_ptr<InferSettings> settings_ = std::make_shared<InferSettings>();
  AttachedObjects::Labels labels_ =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"person", "car", "dog"});
  Status status_;
  Rgba shown_{1, 1};

 private:
  GlBuffer found_;
  bool sized_ = false;
};

const std::vector<Thing> kThings{{8, 8, 24, 40, {255, 0, 0}, 0, 7},
                                 {40, 8, 48, 16, {0, 255, 0}, 1, 8},
                                 {96, 40, 32, 32, {0, 0, 255}, 2, 9},
                                 {8, 56, 20, 30, {200, 100, 0}, 0, 10},
                                 {136, 4, 16, 80, {255, 255, 255}, 1, 11}};

TEST_F(ObjectsTest, EachObjectGetsItsOwnClasses) {
  const std::vector<ResultObject> objects = run(kThings);
  ASSERT_EQ(objects.size(), kThings.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    SCOPED_TRACE(i);
    expect_scores(objects[i], color_of(kThings[i]));
    EXPECT_EQ(objects[i].id, kThings[i].id);
    EXPECT_EQ(objects[i].class_id, kThings[i].class_id);
    EXPECT_EQ(objects[i].label, (*labels_)[static_cast<size_t>(kThings[i].class_id)]);
    EXPECT_FLOAT_EQ(objects[i].box[0], static_cast<float>(kThings[i].x) / kWidth);
    EXPECT_EQ(objects[i].score, 0.9F);
  }
  EXPECT_NE(shown_.pixels, frame_of(kThings).pixels) << "drawn";
  settings_->look.draw = false;
  run(kThings);
  EXPECT_EQ(shown_.pixels, frame_of(kThings).pixels);
}

TEST_F(ObjectsTest, NoObjects) {
  EXPECT_TRUE(run({}).empty());
  EXPECT_EQ(shown_.pixels, frame_of({}).pixels);
  EXPECT_EQ(known(run(kThings)), 5);
  EXPECT_TRUE(run({}).empty());
}

// The model runs on two objects per frame: on new ones first, then on those that waited longest.
TEST_F(ObjectsTest, TakeTurnsWithinTheLimit) {
  settings_->objects.most = 2;
  for (const int expected : {2, 4, 5, 5}) EXPECT_EQ(known(run(kThings)), expected);
  // All objects change their color. In three frames, each has had its turn.
  std::vector<Thing> changed = kThings;
  for (Thing& thing : changed) thing.color = {0, 0, 0};
  std::array<int, 3> after{};
  for (int& count : after) {
    for (const ResultObject& object : run(changed)) {
      count += std::abs(object.classifications[0].score - 1.0F / 3) < 1e-3F ? 1 : 0;
    }
  }
  EXPECT_EQ(after[2], 5) << after[0] << ", " << after[1];
  EXPECT_LT(after[0], 5);
}

TEST_F(ObjectsTest, IntervalKeepsWhatIsKnown) {
  settings_->objects.interval = 3;
  const std::vector<Thing> red{{8, 8, 24, 40, {255, 0, 0}, 0, 7}}, green{{60, 30, 30, 30, {0, 255, 0}, 0, 7}};
  expect_scores(run(red)[0], {1, 0, 0});
  for (int i = 0; i < 2; ++i) {
    const std::vector<ResultObject> objects = run(green);
    expect_scores(objects[0], {1, 0, 0});
    EXPECT_FLOAT_EQ(objects[0].box[0], 60.0F / kWidth) << "the box is that of the frame";
  }
  expect_scores(run(green)[0], {0, 1, 0});
  // A new object does not wait.
  std::vector<Thing> two = green;
  two.push_back({100, 30, 30, 30, {0, 0, 255}, 0, 12});
  expect_scores(run(two)[1], {0, 0, 1});
  // It comes back within the interval.
  run(green);
  two[1].color = {255, 255, 0};
  expect_scores(run(two)[1], {0, 0, 1});
}

// Nothing connects objects without a track with those of other frames.
TEST_F(ObjectsTest, ObjectsWithoutTracks) {
  std::vector<Thing> things = kThings;
  for (Thing& thing : things) thing.id = 0;
  for (int i = 0; i < 3; ++i) {
    const std::vector<ResultObject> objects = run(things);
    ASSERT_EQ(known(objects), 5) << i;
    for (size_t k = 0; k < objects.size(); ++k) expect_scores(objects[k], color_of(things[k]));
  }
  settings_->objects.most = 2;
  EXPECT_EQ(known(run(things)), 2) << "always the first ones";
  settings_->objects = {.most = 16, .interval = 2};
  const int first = known(run(things)), second = known(run(things)), third = known(run(things));
  EXPECT_EQ(first + second, 5) << "in every other frame";
  EXPECT_EQ(first, third);
}

TEST_F(ObjectsTest, OnlyChosenClassesAndSizes) {
  const auto chosen = [&] {
    std::vector<int> ids;
    for (const ResultObject& object : run(kThings)) {
      if (!object.classifications.empty()) ids.push_back(object.id);
    }
    return ids;
  };
  using Ids = std::vector<int>;
  settings_->region_classes = "car, 2";
  EXPECT_EQ(chosen(), (Ids{8, 9, 11}));
  settings_->region_classes = "person";
  EXPECT_EQ(chosen(), (Ids{7, 10}));
  settings_->objects.min_size = 21;
  EXPECT_EQ(chosen(), (Ids{7})) << "the other one is 20 pixels wide";
  settings_->region_classes = "";
  EXPECT_EQ(chosen(), (Ids{7, 9}));
  settings_->region_classes = "person,horse";
  run(kThings);
  EXPECT_EQ(status_.message(),
            "region-classes: no class upstream is called \"horse\"; the classes are person, car, dog");
  settings_->region_classes = "256";
  run(kThings);
  EXPECT_EQ(status_.message(), "region-classes: class 256 is not in 0 to 255");
}

TEST_F(ObjectsTest, OtherSourcesAndScenesBeginAnew) {
  settings_->objects.interval = 100;
  const std::vector<Thing> red{{8, 8, 24, 40, {255, 0, 0}, 0, 1}}, green{{60, 30, 30, 30, {0, 255, 0}, 0, 1}};
  expect_scores(run(red)[0], {1, 0, 0});
  expect_scores(run(green)[0], {1, 0, 0});
  expect_scores(run(green, frame_of(green), 2)[0], {0, 1, 0});  // another detector, whose object also has the number 1
  expect_scores(run(red, frame_of(red), 2)[0], {0, 1, 0});
  running_.runner->forget();
  expect_scores(run(red, frame_of(red), 2)[0], {1, 0, 0});
}

// What is sampled of a box that is twice as wide as high.
TEST_F(ObjectsTest, FitAndScale) {
  const Thing wide{40, 32, 64, 32, {255, 0, 0}, 0, 1};
  struct Case {
    Fit fit;
    float scale;
    double share;  // of the sampled part that has the color
  };
  for (const Case& c : {Case{Fit::kStretch, 1, 1},
                        {Fit::kLetterbox, 1, 0.5},
                        {Fit::kCover, 1, 1},
                        {Fit::kStretch, 0.5F, 1},
                        {Fit::kStretch, 2, 0.25}}) {
    settings_->fit = c.fit;
    settings_->objects.scale = c.scale;
    SCOPED_TRACE("fit " + std::to_string(static_cast<int>(c.fit)) + ", scale " + std::to_string(c.scale));
    expect_scores(run({wide})[0], color_of(wide, c.share), 4e-3);
  }
}

// A box that exceeds the frame is sampled within it.
TEST_F(ObjectsTest, BoxesAtTheEdge) {
  const Thing inside{120, 60, 40, 36, {0, 255, 0}, 0, 1};
  Thing beyond = inside;
  beyond.width = beyond.height = 80;
  const std::vector<ResultObject> objects = run({beyond}, frame_of({inside}));
  expect_scores(objects[0], {0, 1, 0});
  EXPECT_FLOAT_EQ(objects[0].box[2], 200.0F / kWidth) << "the box stays as it is";
}

TEST_F(ObjectsTest, ManyObjects) {
  std::vector<Thing> things;
  for (int32_t i = 0; i < kMaxDetections; ++i) {
    things.push_back({(i % 16) * 10,
                      (i / 16) * 12,
                      9,
                      11,
                      {static_cast<uint8_t>(2 * i), static_cast<uint8_t>(255 - 2 * i), 128},
                      i % 3,
                      i + 1});
  }
  std::vector<ResultObject> objects;
  for (int frame = 0; frame * kMaxObjectRuns < kMaxDetections; ++frame) objects = run(things);
  ASSERT_EQ(objects.size(), things.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    SCOPED_TRACE(i);
    expect_scores(objects[i], color_of(things[i]), 0.02);
  }
  // As many others take the places of those.
  for (Thing& thing : things) thing.id += kMaxDetections;
  EXPECT_EQ(known(run(things)), kMaxObjectRuns);
}

// Landmarks of a part of a photograph are those of that part as a picture of its own, and follow the box while the
// model does not run.
TEST_F(ObjectsTest, PointsAreInTheFrame) {
  if (!shared_dir()) GTEST_SKIP() << "no models next to the source tree";
  const Rgba photograph = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  constexpr int32_t kSide = 320;
  const int32_t x = photograph.width / 2 - kSide / 2, y = photograph.height / 4 - kSide / 4;
  Rgba part(kSide, kSide), frame(2 * kSide, 2 * kSide);
  for (int32_t row = 0; row < kSide; ++row) {
    std::memcpy(part.at(0, row), photograph.at(x, y + row), size_t{4} * kSide);
    std::memcpy(frame.at(200, 100 + row), photograph.at(x, y + row), size_t{4} * kSide);
  }
  const std::string path = (*shared_dir() / "models/face/face_landmark_468_f32.tflite").string();
  model_ = value_of(describe_infer_model(value_of(Model::load(path)), recognize_model(path), {}));
  const auto plan = value_of(Plan::build(model_.model, device().limits, model_.plan_options));
  const GlTarget target{
      nullptr, ShareGroup::create(gl(), nullptr, element_shaders()), device(), FrameKind::kRgba, TuningMode::kOff, ""};
  RunningInferencer alone{target, value_of(Inferencer::create(target, plan, model_))};
  InferLook look;
  look.threshold = 0;
  alone.process(gl(), part, look, Fit::kStretch);
  LandmarkObjects expected;
  read_bytes(alone.inferencer->traits().found, &expected, sizeof(expected));
  load(path, {});
  const auto objects = run_in(frame, {200, 100, kSide, kSide, {}, 0, 3});
  ASSERT_EQ(objects.size(), 1u);
  ASSERT_EQ(objects[0].points.size(), 468u);
  double worst = 0;
  for (size_t i = 0; i < 468; ++i) {
    const auto& [px, py, pz, unused] = expected.objects[0].points[i];
    const KeyPoint& point = objects[0].points[i];
    const float off[] = {point.x * 2 * kSide - 200 - px * kSide, point.y * 2 * kSide - 100 - py * kSide,
                         point.z * 2 * kSide - pz * kSide};
    for (const float v : off) worst = std::max(worst, std::abs(double{v}));
  }
  std::printf("largest distance of 468 points: %.3f pixels\n", worst);
  EXPECT_LT(worst, 0.5);
  EXPECT_GT(objects[0].points[454].x - objects[0].points[234].x, 0.05) << "from ear to ear";
  settings_->objects.interval = 10;
  const auto moved = run_in(frame, {100, 200, kSide, kSide, {}, 0, 3});
  EXPECT_NEAR(moved[0].points[1].x, objects[0].points[1].x - 100.0F / (2 * kSide), 1e-5);
  EXPECT_NEAR(moved[0].points[1].y, objects[0].points[1].y + 100.0F / (2 * kSide), 1e-5);
  // The same part after a quarter turn.
  Rgba turned(2 * kSide, 2 * kSide);
  for (int32_t row = 0; row < kSide; ++row) {
    for (int32_t column = 0; column < kSide; ++column) {
      std::memcpy(turned.at(200 + kSide - 1 - row, 100 + column), part.at(column, row), 4);
    }
  }
  settings_->objects.interval = 1;
  const auto rotated = run_in(turned, {200, 100, kSide, kSide, {}, 0, 4, M_PI / 2});
  ASSERT_EQ(rotated.size(), 1U);
  ASSERT_EQ(rotated[0].points.size(), 468U);
  worst = 0;
  for (size_t i = 0; i < 468; ++i) {
    const auto& [px, py, pz, unused] = expected.objects[0].points[i];
    const KeyPoint& point = rotated[0].points[i];
    const float off[] = {point.x * 2 * kSide - 200 - (1 - py) * kSide, point.y * 2 * kSide - 100 - px * kSide,
                         point.z * 2 * kSide - pz * kSide};
    for (const float v : off) worst = std::max(worst, std::abs(double{v}));
  }
  std::printf("after a quarter turn: %.3f pixels\n", worst);
  EXPECT_LT(worst, 0.5);
}

// The model samples rotated boxes along their sides, and its results describe them so.
TEST_F(ObjectsTest, RotatedBoxesAreSampledUpright) {
  const std::vector<Thing> things{{20, 30, 60, 16, {255, 0, 0}, 0, 7, 0.6}, {100, 20, 40, 24, {0, 255, 0}, 1, 8, -1.2}};
  for (const auto& [scale, share] : {std::pair{1.0, 1.0}, {2.0, 0.25}}) {
    settings_->objects.scale = static_cast<float>(scale);
    const std::vector<ResultObject> objects = run(things);
    ASSERT_EQ(objects.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
      expect_scores(objects[i], color_of(things[i], share), 0.03);
      EXPECT_NEAR(objects[i].rotation, things[i].angle, 1e-4);
      ASSERT_TRUE(objects[i].bounds);
      const Thing& t = things[i];
      const double box[] = {t.x / 160.0, t.y / 96.0, (t.x + t.width) / 160.0, (t.y + t.height) / 96.0};
      for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(objects[i].box[k], box[k], 1e-4) << k;
      EXPECT_NEAR((*objects[i].bounds)[0], t.pixel(-0.5, t.angle > 0 ? 0.5 : -0.5)[0] / kWidth, 1e-4);
    }
    for (const auto& [across, down] : {std::pair{0.0, -0.5}, {0.0, 0.5}, {0.5, 0.0}, {-0.5, 0.0}}) {
      const auto at = things[1].pixel(across, down);
      const uint8_t* const side = shown_.at(static_cast<int32_t>(at[0]), static_cast<int32_t>(at[1]));
      EXPECT_GT(side[0] + side[2], 20) << "a side is drawn, not green: " << across << " " << down;
    }
    const uint8_t* const corner = shown_.at(90, 90);
    EXPECT_EQ(std::max({corner[0], corner[1], corner[2]}), 0) << "the box around it is not";
  }
}

// The output of the model, as it is.
TEST_F(ObjectsTest, Vectors) {
  InferModelOptions options;
  options.task = InferTask::kVector;
  load(red_model(Head::kVector), options);
  const std::vector<ResultObject> objects = run(kThings);
  ASSERT_EQ(objects.size(), kThings.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    ASSERT_EQ(objects[i].vector.size(), 3u);
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(objects[i].vector[k], color_of(kThings[i])[k], 2e-3) << i << " " << k;
    EXPECT_TRUE(objects[i].classifications.empty());
    EXPECT_EQ(objects[i].id, kThings[i].id);
  }
}

// A model that takes several objects in one run says the same of each of them as one that takes one, whatever their
// number, and however many of them one frame may take.
class BatchTest : public ObjectsTest {
 protected:
  using Load = std::function<void(int32_t batch)>;
  void expect_twins(const Load& load_batch) {
    const Rgba noise = random_picture();
    std::map<int32_t, std::vector<ResultObject>> alone;
    load_batch(1);
    for (const int32_t count : {1, 2, 3, 5}) alone[count] = run(first_things(count), noise);
    ASSERT_GT(numbers_of(alone[5][0]).size(), 2u);
    EXPECT_NE(numbers_of(alone[5][0]), numbers_of(alone[5][1])) << "objects differ";
    for (const int32_t batch : {2, 4, 16}) {
      load_batch(batch);
      for (const int32_t most : {16, 3}) {
        settings_->objects.most = most;
        running_.runner->forget();
        for (const int32_t count : {3, 1, 5, 2}) {
          SCOPED_TRACE("batch " + std::to_string(batch) + ", " + std::to_string(count) + " objects, at most " +
                       std::to_string(most));
          std::vector<ResultObject> objects;
          for (int i = 0; i < 2; ++i) objects = run(first_things(count), noise);
          EXPECT_TRUE(status_.ok()) << status_.message();
          EXPECT_EQ(running_.inferencer->stages(), static_cast<size_t>((most + batch - 1) / batch));
          expect_equal(objects, alone[count]);
        }
        EXPECT_TRUE(run({}, noise).empty());
      }
    }
  }

 private:
  static Rgba random_picture() {
    Rgba picture(kWidth, kHeight);
    uint32_t state = 3;
    for (uint8_t& v : picture.pixels) v = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    return picture;
  }
  static std::vector<Thing> first_things(int32_t count) { return {kThings.begin(), kThings.begin() + count}; }
  static std::vector<float> numbers_of(const ResultObject& object) {
    std::vector<float> numbers = object.vector;
    for (const Classification& one : object.classifications) {
      numbers.insert(numbers.end(), {static_cast<float>(one.class_id), one.score});
    }
    for (const KeyPoint& point : object.points) numbers.insert(numbers.end(), {point.x, point.y, point.z});
    return numbers;
  }
  static void expect_equal(const std::vector<ResultObject>& objects, const std::vector<ResultObject>& expected) {
    ASSERT_EQ(objects.size(), expected.size());
    for (size_t i = 0; i < objects.size(); ++i) {
      EXPECT_EQ(objects[i].id, expected[i].id);
      const std::vector<float> got = numbers_of(objects[i]), wanted = numbers_of(expected[i]);
      ASSERT_EQ(got.size(), wanted.size()) << "object " << i;
      for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-6) << "object " << i << ", " << k;
    }
  }
};

TEST_F(BatchTest, Classes) {
  expect_twins([&](int32_t batch) { load(red_model(Head::kVector, batch), {}); });
}

TEST_F(BatchTest, OpenBatch) {
  expect_twins([&](int32_t batch) {
    ModelOptions how;
    how.open_batch = batch;
    load(red_model(Head::kVector, 0), {}, how);
  });
}

TEST_F(BatchTest, Vectors) {
  InferModelOptions options;
  options.decoder = DecoderKind::kVector;
  expect_twins([&](int32_t batch) { load(pixels_as({{batch, 1, 70}}, batch), std::nullopt, options); });
}

TEST_F(BatchTest, Points) {
  expect_twins([&](int32_t batch) {
    load(pixels_as({{batch, 63}, {batch, 1}, {batch, 1}}, batch), std::nullopt, {});
    ASSERT_EQ(model_.task, InferTask::kLandmarks);
    ASSERT_EQ(model_.points.subject, InferModel::Subject::kHand);
  });
}

TEST(Batches, ErrorsAreTrue) {
  InferModelOptions options;
  const auto error_of = [&](const std::vector<Shape>& outputs, int32_t images) {
    return describe_infer_model(pixels_as(outputs, images), std::nullopt, options).status().message();
  };
  EXPECT_NE(error_of({{4, 3}}, 4).find("expected shape 1 x height x width x 3"), std::string::npos)
      << error_of({{4, 3}}, 4);
  options.on_objects = true;
  EXPECT_EQ(error_of({{4, 3}}, 4), "");
  EXPECT_NE(error_of({{17, 3}}, 17).find("takes 17 images in one run, at most 16 are supported"), std::string::npos)
      << error_of({{17, 3}}, 17);
  options.task = InferTask::kClassification;
  const std::string merged = error_of({{1, 12}}, 4);
  EXPECT_NE(merged.find("no single output with a score per class for each of 4 images"), std::string::npos) << merged;
}

TEST(RegionClasses, NamesAndNumbers) {
  const std::vector<std::string> labels{"person", "traffic light"};
  EXPECT_EQ(value_of(region_class(" traffic light ", &labels)), 1);
  EXPECT_EQ(value_of(region_class("17", &labels)), 17);
  EXPECT_EQ(region_class("light", nullptr).status().message(),
            "region-classes: no class upstream is called \"light\": the classes have no names; use numbers");
  for (const char* wrong : {"", "-1", "1x", "99999999999999999999"}) EXPECT_FALSE(region_class(wrong, &labels).ok());
}

}  // namespace
}  // namespace sightglass::test
