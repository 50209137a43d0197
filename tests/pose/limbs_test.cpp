// Limbs that are too long for the body: compares shaders/pose/limbs.glsl with a scalar reference, for made-up people,
// random ones, photographs, and a video. Regions of people with such limbs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "detect/regions.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "harness/value_of.h"
#include "pose/pose_estimator.h"
#include "pose/shaders.h"
#include "pose_case.h"

namespace sightglass::test {
namespace {

constexpr int32_t kPictureWidth = 1280, kPictureHeight = 720;
constexpr float kConfident = 0.3F;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A limb from one point to the next, left; the right points are one further. The chain begins at the trunk.
struct LimbChain {
  const char* name;
  std::vector<int> chain;       // points
  std::vector<double> lengths;  // of its parts, in statures
};
const std::vector<LimbChain>& limbs_of(Limbs skeleton) {
  static const std::vector<LimbChain> coco{{"arm", {5, 7, 9}, {kUpperArmLength, kForearmLength}},
                                           {"leg", {11, 13, 15}, {kThighLength, kShankLength}}};
  static const std::vector<LimbChain> blazepose{
      {"pinky", {11, 13, 15, 17}, {kUpperArmLength, kForearmLength, kHandLength}},
      {"index", {11, 13, 15, 19}, {kUpperArmLength, kForearmLength, kHandLength}},
      {"thumb", {11, 13, 15, 21}, {kUpperArmLength, kForearmLength, kHandLength}},
      {"heel", {23, 25, 27, 29}, {kThighLength, kShankLength, kFootLength}},
      {"toe", {23, 25, 27, 31}, {kThighLength, kShankLength, kFootLength}}};
  return skeleton == Limbs::kCoco ? coco : blazepose;
}

struct Checked {
  std::set<int> dropped;
  double greatest = 0;        // length of a limb, in limits, of the confident ones
  double nearest = INFINITY;  // distance of such a length from the limit, in limits
};

// As docs/elements/glpose.md describes it, in double precision. Points are in pixels.
struct ScalarBody {
  std::vector<std::array<double, 2>> places;
  std::vector<bool> seen;
  double longer_side = kPictureWidth;  // of the frame
  ScalarBody() = default;
  explicit ScalarBody(const Person& person) {
    for (int32_t n = 0; n < person.points_count; ++n) {
      const KeyPoint& point = person.points[static_cast<size_t>(n)];
      places.push_back({double{point.x} * kPictureWidth, double{point.y} * kPictureHeight});
      seen.push_back(point.visibility >= kConfident && point.presence >= kConfident);
    }
  }
  bool has(int n) const { return seen[static_cast<size_t>(n)]; }
  double length(int a, int b) const {
    const auto &p = places[static_cast<size_t>(a)], &q = places[static_cast<size_t>(b)];
    return std::hypot(p[0] - q[0], p[1] - q[1]);
  }
  double stature_by(int a, int b, double share) const {
    if (!has(a) || !has(b)) return 0;
    return length(a, b) < 1e9 ? length(a, b) / share : 0;
  }
  double stature(Limbs skeleton) const {
    const bool coco = skeleton == Limbs::kCoco;
    const int ear = coco ? 3 : 7, shoulder = coco ? 5 : 11, hip = coco ? 11 : 23;
    const double sure = std::max({stature_by(ear, ear + 1, kEarsWidth), stature_by(0, ear, kNoseToEar),
                                  stature_by(0, ear + 1, kNoseToEar), stature_by(shoulder, hip, kTorsoLength),
                                  stature_by(shoulder + 1, hip + 1, kTorsoLength)});
    return sure > 0 ? std::max(sure, stature_by(shoulder, shoulder + 1, kShouldersWidth)) : 0;
  }
  Checked check(Limbs skeleton) const {
    Checked result;
    const double tall = stature(skeleton);
    if (!(tall >= 8)) return result;
    const double tolerance = kLimbTolerance / (1 - kTowardsCamera * std::min<double>(tall / longer_side, kLargestBody));
    for (const LimbChain& limb : limbs_of(skeleton)) {
      for (int side = 0; side < 2; ++side) {
        const int root = limb.chain[0] + side;
        double reach = 0;
        for (size_t i = 1; i < limb.chain.size(); ++i) {
          const int near = limb.chain[i - 1] + side, far = limb.chain[i] + side;
          reach += limb.lengths[i - 1];
          const bool has_near = has(near) && !result.dropped.contains(near);
          if (!has(far) || (!has_near && !has(root))) continue;
          const double limit = tolerance * tall * (has_near ? limb.lengths[i - 1] : reach);
          const double share = length(has_near ? near : root, far) / limit;
          if (share > 1) result.dropped.insert(far);
          if (std::isfinite(share)) {
            result.greatest = std::max(result.greatest, share);
            result.nearest = std::min(result.nearest, std::abs(share - 1));
          }
        }
      }
    }
    return result;
  }
};

// A person of average proportions who stands upright, `tall` pixels, at the center of the frame. Points are in statures
// from the center of the hips until placed.
struct StickFigure {
  Limbs skeleton = Limbs::kCoco;
  std::vector<std::array<double, 2>> places;
  std::vector<double> scores;
  double tall = 400;
  static StickFigure standing(Limbs skeleton) {
    StickFigure figure{skeleton, {}, {}};
    const bool coco = skeleton == Limbs::kCoco;
    const size_t count = coco ? 17 : 33;
    figure.places.assign(count, {0, -0.4});  // the face
    figure.scores.assign(count, 0.9);
    const auto pair = [&](size_t n, double x, double y) {
      figure.places[n] = {x, y};
      figure.places[n + 1] = {-x, y};
    };
    pair(coco ? 3 : 7, 0.041, -0.39);
    pair(coco ? 5 : 11, 0.11, -0.288);
    pair(coco ? 7 : 13, 0.13, -0.288 + 0.185);
    pair(coco ? 9 : 15, 0.14, -0.288 + 0.33);
    pair(coco ? 11 : 23, 0.06, 0);
    pair(coco ? 13 : 25, 0.07, 0.245);
    pair(coco ? 15 : 27, 0.07, 0.49);
    if (!coco) {
      for (const size_t finger : {17, 19, 21}) pair(finger, 0.15, 0.1);
      pair(29, 0.07, 0.52);
      pair(31, 0.1, 0.53);
    }
    return figure;
  }
  void move(std::initializer_list<size_t> points, double x, double y) {
    for (const size_t n : points) places[n] = {x, y};
  }
  void hide(std::initializer_list<size_t> points) {
    for (const size_t n : points) scores[n] = 0.1;
  }
  void each(const std::function<void(std::array<double, 2>&)>& change) { std::ranges::for_each(places, change); }
  Person person() const {
    Person person;
    person.points_count = static_cast<int32_t>(places.size());
    person.score = 0.9F;
    for (size_t n = 0; n < places.size(); ++n) {
      const auto score = static_cast<float>(scores[n]);
      person.points[n] = {.x = static_cast<float>(0.5 + tall * places[n][0] / kPictureWidth),
                          .y = static_cast<float>(0.5 + tall * places[n][1] / kPictureHeight),
                          .visibility = score,
                          .presence = score};
    }
    return person;
  }
};

class LimbsTest : public PersonFollowerTest {
 protected:
  // The points of each person that lose their confidence.
  std::vector<std::set<int>> dropped(const std::vector<Person>& people, Limbs limbs) {
    Persons found;
    for (const Person& person : people) found.persons[static_cast<size_t>(found.count++)] = person;
    const GlBuffer buffer = make_storage(gl(), sizeof(Persons), &found);
    follower_->run({buffer.id(), 0, sizeof(Persons)}, kPictureWidth, kPictureHeight,
                   {.visibility = kConfident, .presence = kConfident, .limbs = limbs});
    told_ = read(follower_->persons());
    std::vector<std::set<int>> result(people.size());
    for (size_t i = 0; i < people.size(); ++i) {
      for (int32_t n = 0; n < people[i].points_count; ++n) {
        const KeyPoint &before = people[i].points[static_cast<size_t>(n)],
                       &after = told_.persons[i].points[static_cast<size_t>(n)];
        if (before.visibility > 0 && after.visibility == 0 && after.presence == 0) result[i].insert(n);
        if (after.visibility != 0) {
          EXPECT_EQ(after.visibility, before.visibility);
        }
      }
    }
    return result;
  }
  Persons told_;
};
std::string list_of(const std::set<int>& points) {
  std::string text;
  for (const int n : points) text += " " + std::to_string(n);
  return text.empty() ? " none" : text;
}

struct LimbCase {
  const char* name;
  Limbs skeleton;
  std::function<void(StickFigure&)> change;
  std::set<int> expected;
};

const std::vector<LimbCase>& limb_cases() {
  using P = std::array<double, 2>;
  static const std::vector<LimbCase> all{
      {"standing", Limbs::kCoco, [](StickFigure&) {}, {}},
      {"arms and legs spread",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.move({7}, 0.29, -0.3), f.move({9}, 0.44, -0.3), f.move({8}, -0.29, -0.3), f.move({10}, -0.44, -0.3);
         f.move({15}, 0.5, 0.2), f.move({13}, 0.29, 0.1);
       },
       {}},
      {"child",
       Limbs::kCoco,
       [](StickFigure& f) {  // a large head, and short legs and arms
         f.move({3}, 0.08, -0.45), f.move({4}, -0.08, -0.45), f.move({13, 14}, 0.05, 0.15), f.move({15, 16}, 0.05, 0.3);
       },
       {}},
      {"torso towards the camera",
       Limbs::kCoco,
       [](StickFigure& f) {
         for (const size_t n : {0, 1, 2, 3, 4, 5, 6}) f.places[n][1] += 0.25;
       },
       {}},
      {"all but the arms foreshortened, halfway in profile",
       Limbs::kCoco,
       [](StickFigure& f) {
         for (const size_t n : {0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}) {
           f.places[n][0] *= 0.7, f.places[n][1] *= 0.7;
         }
         f.move({7}, 0.25, -0.2), f.move({9}, 0.39, -0.2);
       },
       {}},
      {"in profile", Limbs::kCoco, [](StickFigure& f) { f.each([](P& p) { p[0] *= 0.05; }); }, {}},
      {"lying, feet away", Limbs::kCoco, [](StickFigure& f) { f.each([](P& p) {
                                                                p = {p[1] * 0.6, p[0]};
                                                              }); }, {}},
      {"upside down", Limbs::kBlazePose, [](StickFigure& f) { f.each([](P& p) {
                                                                p = {-p[0], -p[1]};
                                                              }); }, {}},
      {"cut off below the shoulders",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.tall = 2000;
         f.hide({11, 12, 13, 14, 15, 16});
         f.move({11, 12, 13, 14, 15, 16}, 0.02, -0.2);  // anywhere
         f.move({7}, 0.29, -0.3), f.move({9}, 0.43, -0.3);
       },
       {}},
      {"hand near the camera",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.tall = 1900;
         f.hide({11, 12, 13, 14, 15, 16});
         f.move({9}, 0.13, -0.1 - 0.146 * 2);
       },
       {}},
      {"hand as far from the body, but not near the camera",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({11, 12, 13, 14, 15, 16});
         f.move({9}, 0.13, -0.1 - 0.146 * 2);
       },
       {9}},
      {"only a back: no scale without torso and head",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({0, 1, 2, 3, 4, 11, 12});
         f.move({9}, 2, 0);
       },
       {}},
      {"torso of size 0, no head",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({0, 1, 2, 3, 4});
         f.move({5, 6, 11, 12}, 0, 0);
       },
       {}},
      {"torso of NaN, no head",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({0, 3, 4});
         f.move({5, 6, 11, 12}, kNan, kNan);
       },
       {}},
      {"torso of NaN, with a head",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.move({11, 12}, kNan, kNan);
         f.move({9}, 1.5, 0);
       },
       {9}},
      {"wrist of NaN, BlazePose", Limbs::kBlazePose, [](StickFigure& f) { f.move({15}, kNan, 0); }, {}},
      {"wrist at infinity", Limbs::kCoco, [](StickFigure& f) { f.move({9}, INFINITY, 0); }, {9}},
      {"wrist at that of a neighbor", Limbs::kCoco, [](StickFigure& f) { f.move({9}, 0.55, 0); }, {9}},
      {"arm at that of a neighbor",
       Limbs::kCoco,
       [](StickFigure& f) { f.move({8}, -0.6, -0.1), f.move({10}, -0.8, 0); },
       {8, 10}},
      {"elbow hidden, wrist out of reach",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({7});
         f.move({9}, 1, 0);
       },
       {9}},
      {"elbow hidden, wrist in reach",
       Limbs::kCoco,
       [](StickFigure& f) {
         f.hide({7});
         f.move({9}, 0.6, 0);
       },
       {}},
      {"elbow elsewhere, wrist in place", Limbs::kCoco, [](StickFigure& f) { f.move({7}, 0.7, -0.3); }, {7}},
      {"leg at that of a neighbor",
       Limbs::kCoco,
       [](StickFigure& f) { f.move({13}, 0.8, 0.2), f.move({15}, 1.1, 0.4); },
       {13, 15}},
      {"arm and hand at that of a neighbor",
       Limbs::kBlazePose,
       [](StickFigure& f) {
         f.move({13}, 0.6, 0), f.move({15}, 0.9, 0), f.move({17, 19, 21}, 1.1, 0);
       },
       {13, 15, 17, 19, 21}},
      {"toes elsewhere", Limbs::kBlazePose, [](StickFigure& f) { f.move({32}, -0.6, 0.5); }, {32}},
  };
  return all;
}

TEST_F(LimbsTest, OnlyLimbsThatNobodyHasAreDropped) {
  for (const LimbCase& one : limb_cases()) {
    StickFigure figure = StickFigure::standing(one.skeleton);
    one.change(figure);
    const Person person = figure.person();
    const Checked scalar = ScalarBody(person).check(one.skeleton);
    const std::set<int> dropped = this->dropped({person}, one.skeleton)[0];
    std::printf("%s: longest limb %.2f of the limit, dropped:%s\n", one.name, scalar.greatest,
                list_of(dropped).c_str());
    EXPECT_EQ(dropped, one.expected) << one.name;
    EXPECT_EQ(scalar.dropped, one.expected) << one.name << ", reference";
    EXPECT_TRUE(this->dropped({person}, Limbs::kNone)[0].empty()) << one.name;
  }
}

TEST_F(LimbsTest, DroppedPointsAreNotInTheBox) {
  StickFigure figure = StickFigure::standing(Limbs::kCoco);
  figure.move({9}, 0.8, 0);
  dropped({figure.person()}, Limbs::kCoco);
  EXPECT_LT(told_.persons[0].box[2], 0.56F);
  dropped({figure.person()}, Limbs::kNone);
  EXPECT_GT(told_.persons[0].box[2], 0.7F);
}

TEST_F(LimbsTest, RandomPeopleAreCheckedAsByTheReference) {
  uint32_t seed = 3;
  const auto random = [&] { return static_cast<double>((seed = seed * 1664525U + 1013904223U) >> 8U) / 16777216; };
  for (const Limbs skeleton : {Limbs::kCoco, Limbs::kBlazePose}) {
    size_t people = 0, points = 0, with = 0;
    for (int round = 0; round < 60; ++round) {
      std::vector<Person> some;
      std::vector<Checked> expected;
      for (int i = 0; i < kMaxPersons; ++i) {
        StickFigure figure = StickFigure::standing(skeleton);
        figure.tall = 20 + 1000 * random();
        const double strange = random() < 0.5 ? 0.1 : 2;
        const size_t first = skeleton == Limbs::kCoco ? 7 : 13, hip = skeleton == Limbs::kCoco ? 11 : 23;
        for (size_t n = 0; n < figure.places.size(); ++n) {
          const bool is_of_limb = n >= first && n != hip && n != hip + 1;
          for (double& at : figure.places[n]) at += (is_of_limb ? strange : 0.1) * (random() - 0.5);
          if (random() < 0.2) figure.scores[n] = 0.1;
        }
        some.push_back(figure.person());
        expected.push_back(ScalarBody(some.back()).check(skeleton));
      }
      const auto dropped = this->dropped(some, skeleton);
      for (size_t i = 0; i < some.size(); ++i) {
        if (expected[i].nearest < 1e-4) continue;  // rounding decides
        EXPECT_EQ(dropped[i], expected[i].dropped) << round << ", " << i;
        ++people;
        points += dropped[i].size();
        with += dropped[i].empty() ? 0 : 1;
      }
    }
    std::printf("%zu people, %zu with limbs that are too long, %zu points dropped\n", people, with, points);
    EXPECT_GT(people, 400U);
    EXPECT_GT(with, 100U);
    EXPECT_LT(with, people - 100);
  }
}

// The landmarks of a model in a region that covers the frame.
class StrangeRegion : public PoseTest {
 protected:
  static constexpr int32_t kSide = 256;

  void start(ProgramKey shader, const RegionOptions& options) {
    auto created = value_of(Regions::create(group(), Regions::Source::kLooks, sizeof(Persons)));
    regions_.emplace(std::move(created));
    const ProgramKey keys[] = {std::move(shader)};
    program_ = std::move(value_of(group()->programs(keys))[0]);
    RegionState state;
    state.slot[0] = -1;
    state.regions[0].square = {kSide / 2, kSide / 2, kSide, 0};
    state.regions[0].flags = {1, 0, 5, 0};
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, regions_->state().buffer);
    gl().BufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(state), &state);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    frame_ = frame_of(Rgba(kSide, kSide));
    params_ = region_params(frame_, options, kSide, kSide);
  }
  void TearDown() override {
    program_ = {};
    regions_.reset();
    PoseTest::TearDown();
  }
  RegionState state() {
    RegionState state;
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, regions_->state().buffer);
    std::memcpy(&state, gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(state), GL_MAP_READ_BIT),
                sizeof(state));
    gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return state;
  }
  // One frame with these landmarks. Returns the number of keypoints of the person.
  int32_t landmarks(const StickFigure& figure) {
    regions_->next(frame_, params_);
    std::vector<float> points(5 * 39), world(3 * 39);
    for (size_t n = 0; n < 33; ++n) {
      points[5 * n] = static_cast<float>(kSide * (0.5 + 0.3 * figure.places[n][0]));
      points[5 * n + 1] = static_cast<float>(kSide * (0.5 + 0.3 * figure.places[n][1]));
      points[5 * n + 3] = points[5 * n + 4] = 4;
    }
    for (const size_t n : {33, 34}) points[5 * n] = points[5 * n + 1] = kSide / 2;
    points[5 * 34 + 1] = 40;
    const float score = 0.9F;
    const GlBuffer places = make_storage(gl(), GLsizeiptr{5} * 39 * 4, points.data());
    const GlBuffer scores = make_storage(gl(), 4, &score);
    const GlBuffer meters = make_storage(gl(), GLsizeiptr{3} * 39 * 4, world.data());
    regions_->run(program_->id(), params_,
                  {{places.id(), 0, 5 * 39 * 4}, {scores.id(), 0, 4}, {meters.id(), 0, 3 * 39 * 4}, regions_->state()});
    return read(regions_->results()).persons[0].points_count;
  }

  std::optional<Regions> regions_;
  SharedProgram program_;
  UprightFrame frame_;
  RegionParams params_;
};

TEST_F(StrangeRegion, BlazePoseLooksAgainAfterAFewFrames) {
  StickFigure usual = StickFigure::standing(Limbs::kBlazePose), one = usual, strange = usual;
  one.move({15}, 1, 0);
  strange.move({13}, 0.7, 0), strange.move({15}, 1, 0);
  for (const bool limits : {true, false}) {
    start({kLandmarksShader}, {.most = 1, .least_score = 0.5F, .seconds = 0.033F, .limb_limits = limits});
    const auto frame = [&](const StickFigure& figure) {
      EXPECT_EQ(landmarks(figure), 33) << "every frame shows the person";
      const RegionState now = state();
      regions_->begin(params_);  // of the next frame
      uint32_t looks = 2;
      gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
      gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, regions_->detector_runs().buffer);
      std::memcpy(&looks, gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, 4, GL_MAP_READ_BIT), 4);
      gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
      EXPECT_EQ(looks, now.regions[0].flags[0] == 0 ? 1U : 0U) << "the detector runs if the region is dropped";
      return now.regions[0].flags[0] != 0;
    };
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(frame(i % 2 == 0 ? usual : one)) << "one limb is not enough";
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(frame(strange)) << i;
    EXPECT_TRUE(frame(usual)) << "begins anew";
    int frames = 0;
    while (++frames < 8 && frame(strange)) continue;
    std::printf("limits %s: tracked for %d frames\n", limits ? "on" : "off", frames);
    EXPECT_EQ(frames, limits ? 4 : 8);
  }
}

TEST_F(StrangeRegion, MoveNetLooksAtTheWholeFrame) {
  for (const bool limits : {true, false}) {
    start({kMoveNetShader}, {.most = 1, .least_score = 0.2F, .seconds = 0.033F, .limb_limits = limits});
    for (const bool is_strange : {false, true}) {
      StickFigure figure = StickFigure::standing(Limbs::kCoco);
      if (is_strange) figure.move({8}, -0.6, -0.1), figure.move({10}, -0.8, 0);
      regions_->next(frame_, params_);
      std::vector<float> numbers;
      for (const auto& place : figure.places) {
        numbers.push_back(static_cast<float>(0.5 + 0.3 * place[1]));
        numbers.push_back(static_cast<float>(0.5 + 0.3 * place[0]));
        numbers.push_back(0.9F);
      }
      const GlBuffer values = make_storage(gl(), GLsizeiptr{3} * 17 * 4, numbers.data());
      regions_->run(program_->id(), params_, {{values.id(), 0, 3 * 17 * 4}, regions_->state()});
      EXPECT_EQ(state().regions[0].flags[1] != 0, limits && is_strange);
    }
  }
}

TEST(LimbTable, TheDocumentationHasTheLengths) {
  std::ifstream file(SIGHTGLASS_SOURCE_DIR "/docs/elements/glpose.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::pair<const char*, double> rows[] = {{"torso | shoulder, hip", kTorsoLength},
                                                 {"shoulders | both shoulders", kShouldersWidth},
                                                 {"ears | both ears", kEarsWidth},
                                                 {"face | nose, ear", kNoseToEar},
                                                 {"upper arm | shoulder, elbow", kUpperArmLength},
                                                 {"forearm | elbow, wrist", kForearmLength},
                                                 {"hand | wrist, finger", kHandLength},
                                                 {"thigh | hip, knee", kThighLength},
                                                 {"shank | knee, ankle", kShankLength},
                                                 {"foot | ankle, heel or toe", kFootLength}};
  std::array<char, 100> text{};
  for (const auto& [part, share] : rows) {
    std::snprintf(text.data(), text.size(), "| %s | %.3f |\n", part, share);
    EXPECT_NE(page.find(text.data()), std::string::npos) << text.data();
  }
  const auto tolerance = [](double size) { return kLimbTolerance / (1 - kTowardsCamera * size); };
  std::snprintf(text.data(), text.size(), "can appear %.1f times as long", double{kLimbTolerance});
  EXPECT_NE(page.find(text.data()), std::string::npos) << text.data();
  std::snprintf(text.data(), text.size(), "%.1f times for a stature of half the longer side", tolerance(0.5));
  EXPECT_NE(page.find(text.data()), std::string::npos) << text.data();
  std::snprintf(text.data(), text.size(), "%.1f times for twice", tolerance(2));
  EXPECT_NE(page.find(text.data()), std::string::npos) << text.data();
}

// Nothing is dropped from the people in photographs and in the video.
TEST_F(LimbsTest, PeopleInPhotographsAndAVideoKeepTheirLimbs) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  BlazePosePlans plans{
      load(model_file("blazepose_detection_224")), load(model_file("blazepose_landmark_lite")), {}, {}};
  plans.detector = plan(plans.detector_model);
  plans.landmarks = plan(plans.landmarks_model);
  const auto blazepose = value_of(make_blazepose_finder(group(), std::move(plans), FrameKind::kRgba));
  const auto movenet = one_stage_finder(load(model_file("movenet_singlepose_lightning_int8_v4")));
  for (const char* name : {"/media/mp_pose.jpg", "/media/mp_portrait.jpg", "/second/media/two_people_whitehouse.jpg"}) {
    const Rgba picture = load_picture(shared_directory() + name);
    if (picture.width == 0) continue;
    const UprightFrame frame = frame_of(picture);
    for (const bool whole : {false, true}) {
      PersonFinder& finder = whole ? *movenet : *blazepose;
      const Limbs skeleton = whole ? Limbs::kCoco : Limbs::kBlazePose;
      Checked all;
      int people = 0;
      for (int i = 0; i < 6; ++i) {
        const FindOptions options{
            .max_persons = 4, .person_score = 0.5F, .seconds = i == 0 ? -1 : 0.033F, .limb_limits = true};
        ASSERT_TRUE(finder.find(frame, options).ok());
        const Persons found = read(finder.found());
        people = 0;
        for (int32_t p = 0; p < found.count; ++p) {
          Person person = found.persons[static_cast<size_t>(p)];
          if (person.points_count == 0) continue;
          ++people;
          // To a frame of kPictureWidth x kPictureHeight that begins with this one.
          const float scale = std::min(static_cast<float>(kPictureWidth) / static_cast<float>(frame.width),
                                       static_cast<float>(kPictureHeight) / static_cast<float>(frame.height));
          for (KeyPoint& point : person.points) {
            point.x *= scale * static_cast<float>(frame.width) / kPictureWidth;
            point.y *= scale * static_cast<float>(frame.height) / kPictureHeight;
          }
          const Checked one = ScalarBody(person).check(skeleton);
          EXPECT_EQ(dropped({person}, skeleton)[0], one.dropped);
          all.greatest = std::max(all.greatest, one.greatest);
          all.dropped.insert(one.dropped.begin(), one.dropped.end());
        }
      }
      std::printf("%s, %s: %d people, longest limb %.2f of the limit, dropped:%s\n", name,
                  whole ? "MoveNet" : "BlazePose", people, all.greatest, list_of(all.dropped).c_str());
      EXPECT_TRUE(all.dropped.empty());
    }
  }
  double greatest = 0;
  size_t frames = 0;
  for (const auto& frame :
       nlohmann::json::parse(std::ifstream(shared_directory() + "/media/mp_pose_squats.full.json"))) {
    ScalarBody body;
    body.longer_side = 1e9;  // the strictest limits
    for (const auto& point : frame) {
      body.places.push_back({point[0], point[1]});
      body.seen.push_back(true);
    }
    const Checked one = body.check(Limbs::kBlazePose);
    EXPECT_TRUE(one.dropped.empty()) << list_of(one.dropped);
    greatest = std::max(greatest, one.greatest);
    ++frames;
  }
  std::printf("squats, full model: %zu frames, longest limb %.2f of the limit\n", frames, greatest);
  EXPECT_GT(frames, 60U);
}

}  // namespace
}  // namespace sightglass::test
