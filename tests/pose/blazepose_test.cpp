// The two BlazePose stages on the GPU: from an image to landmarks, and from frame to frame.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "detect/regions.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gl_pictures.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "pose/person_finder.h"
#include "pose/shaders.h"
#include "pose_case.h"
#include "reference_decoders.h"

namespace sightglass::test {
namespace {

class BlazePoseTest : public PoseTest {
 protected:
  std::unique_ptr<PersonFinder> make_finder() {
    BlazePosePlans plans{
        load(model_file("blazepose_detection_224")), load(model_file("blazepose_landmark_lite")), {}, {}};
    plans.detector = plan(plans.detector_model);
    plans.landmarks = plan(plans.landmarks_model);
    auto finder = make_blazepose_finder(group(), std::move(plans), FrameKind::kRgba);
    EXPECT_TRUE(finder.ok()) << finder.status().message();
    return finder.ok() ? *std::move(finder) : nullptr;
  }
};

constexpr FindOptions kFirst{.max_persons = 1, .person_score = 0.5F, .seconds = -1};
constexpr FindOptions kNext{.max_persons = 1, .person_score = 0.5F, .seconds = 0.033F};

// The landmarks decoded from TensorFlow Lite outputs, including heatmaps: x and y in pixels of the model input.
std::vector<std::array<float, 2>> reference_landmarks(const Golden& golden, const PoseModel& model) {
  const std::vector<float>& raw = golden.outputs[model.outputs[PoseModel::kPoints]];
  const Grid& heat = golden.grids[model.outputs[PoseModel::kHeat]];
  std::vector<std::array<float, 2>> places;
  for (int n = 0; n < kMaxKeyPoints; ++n) {
    std::array<float, 2> place{raw[static_cast<size_t>(5 * n)], raw[static_cast<size_t>(5 * n + 1)]};
    const int column = static_cast<int>(place[0] / 4), row = static_cast<int>(place[1] / 4);
    double x = 0, y = 0, sum = 0, most = 0;
    for (int r = std::max(row - 3, 0); r <= std::min(row + 3, heat.rows - 1); ++r) {
      for (int c = std::max(column - 3, 0); c <= std::min(column + 3, heat.columns - 1); ++c) {
        const double sure = 1 / (1 + std::exp(-heat.at(r, c, n)));
        x += c * sure;
        y += r * sure;
        sum += sure;
        most = std::max(most, sure);
      }
    }
    if (most >= 0.5) place = {static_cast<float>(4 * x / sum), static_cast<float>(4 * y / sum)};
    places.push_back(place);
  }
  return places;
}

struct Refinement {  // the uniform block of shaders/pose/refine_landmarks.comp
  std::array<int32_t, 4> grid{64, 64, 39, 0};
  std::array<float, 4> pixels{4, 4, 0, 0};
  bool operator==(const Refinement&) const = default;
};

// Only the second stage, on a region that covers the whole frame.
TEST_F(BlazePoseTest, LandmarksMatchTensorFlowLite) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const PoseModel model = load(model_file("blazepose_landmark_lite"));
  const Golden golden = golden_of("blazepose_landmark_lite");
  const UprightFrame frame = frame_of(golden.picture);
  ASSERT_EQ(frame.width, 256);
  const auto session = value_of(Session::create(group(), plan(model)));
  const ProgramKey keys[] = {{kRefineLandmarksShader}, {kLandmarksShader}};
  const auto programs = value_of(group()->programs(keys));

  auto created = value_of(Regions::create(group(), Regions::Source::kLandmarksOnly, sizeof(Persons)));
  Regions regions = std::move(created);
  RegionState state;
  state.slot[0] = -1;
  state.regions[0].square = {128, 128, 256, 0};
  state.regions[0].flags = {1, 0, 0, 0};  // tracked, so that no detection must agree
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, regions.state().buffer);
  gl().BufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(state), &state);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  const RegionParams params = region_params(frame, {}, model.width, model.height);
  ASSERT_TRUE(regions.next(frame, params, *session).ok());
  ASSERT_TRUE(session->run().ok());
  const auto output = [&](PoseModel::Role role) { return *session->output_buffer(model.outputs[role]); };
  const GlBuffer refined = make_storage(gl(), 195 * sizeof(float));
  const BufferRange places{refined.id(), 0, 195 * sizeof(float)};
  UniformBlock<Refinement> block(gl());
  {
    Pass pass(gl());
    pass.uniforms(kParamsBinding, block, {});
    pass.storage({output(PoseModel::kPoints), output(PoseModel::kHeat), places});
    pass.dispatch(programs[0]->id());
  }
  regions.run(programs[1]->id(), params,
              {places, output(PoseModel::kScore), output(PoseModel::kWorld), regions.state()});

  const Person person = read(regions.results()).persons[0];
  ASSERT_EQ(person.points_count, 33);
  const auto expected = reference_landmarks(golden, model);
  const std::vector<float>& raw = golden.outputs[model.outputs[PoseModel::kPoints]];
  const std::vector<float>& world = golden.outputs[model.outputs[PoseModel::kWorld]];
  float greatest = 0, depth = 0, metres = 0, seen = 0;
  for (size_t n = 0; n < expected.size(); ++n) {
    const KeyPoint& point = person.points[n];
    greatest = std::max(greatest, std::hypot(256 * point.x - expected[n][0], 256 * point.y - expected[n][1]));
    depth = std::max(depth, std::abs(256 * point.z - raw[5 * n + 2]));
    metres = std::max(metres, std::hypot(point.world_x - world[3 * n], point.world_y - world[3 * n + 1]));
    seen = std::max(seen, std::abs(point.visibility - 1 / (1 + std::exp(-raw[5 * n + 3]))));
  }
  std::printf("landmarks %.5f pixels, depth %.5f, world %.6f m, visibility %.6f at most\n", greatest, depth, metres,
              seen);
  EXPECT_LE(greatest, 0.05F);
  EXPECT_LE(depth, 0.05F);
  EXPECT_LE(metres, 1e-3F);
  EXPECT_LE(seen, 1e-3F);
}

// In frame widths, over the points of the skeleton.
float distance(const Person& a, const Person& b) {
  float greatest = 0;
  for (size_t i = 0; i < kMaxKeyPoints; ++i) {
    greatest = std::max(greatest, std::hypot(a.points[i].x - b.points[i].x, a.points[i].y - b.points[i].y));
  }
  return greatest;
}

std::string picture() { return shared_directory() + "/media/mp_pose.jpg"; }

TEST_F(BlazePoseTest, APersonIsFoundTrackedLostAndFoundAgain) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto finder = make_finder();
  const UprightFrame frame = frame_of(picture());
  const UprightFrame nothing = frame_of(Rgba(frame.width, frame.height));
  const auto find = [&](const UprightFrame& in, const FindOptions& options) {
    const Status status = finder->find(in, options);
    EXPECT_TRUE(status.ok()) << status.message();
    return read(finder->found()).persons[0];
  };
  const Person first = find(frame, kFirst);
  ASSERT_EQ(first.points_count, 33);
  EXPECT_GT(first.score, 0.9F);
  EXPECT_NEAR(first.points[0].x, 0.467F, 0.01F);  // the nose
  EXPECT_NEAR(first.points[0].y, 0.422F, 0.01F);
  // The origin of world coordinates is between the hips.
  EXPECT_NEAR(first.points[23].world_x + first.points[24].world_x, 0, 0.02F);
  const Person second = find(frame, kNext), third = find(frame, kNext);
  ASSERT_EQ(third.points_count, 33);
  std::printf("from detection to landmarks' region %.4f, from then on %.4f\n", distance(first, second),
              distance(second, third));
  EXPECT_LT(distance(first, second), 0.02F);
  EXPECT_LT(distance(second, third), 0.005F);  // points at rest stay still

  EXPECT_EQ(find(nothing, kNext).points_count, 0);
  EXPECT_EQ(find(nothing, kNext).points_count, 0);
  const Person again = find(frame, kNext);
  ASSERT_EQ(again.points_count, 33);
  EXPECT_LT(distance(first, again), 1e-4F);                // from the detector, as at the start
  EXPECT_LT(distance(first, find(frame, kFirst)), 1e-4F);  // nobody is tracked across a discontinuity
}

TEST_F(BlazePoseTest, OnePersonInSeveralRegionsIsOnePerson) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto finder = make_finder();
  const UprightFrame frame = frame_of(picture());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(finder->find(frame, {.max_persons = 2, .person_score = 0.5F, .seconds = i == 0 ? -1 : 0.033F}).ok());
    const Persons found = read(finder->found());
    EXPECT_EQ(found.count, 2);
    EXPECT_EQ(found.persons[0].points_count, 33);
    EXPECT_EQ(found.persons[1].points_count, 0);
  }
}

// The position of the region is mapped from the upright frame to the stored one.
TEST_F(BlazePoseTest, StoredFramesMayBeRotated) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const auto finder = make_finder();
  const Rgba upright = load_picture(picture());
  Rgba stored(upright.height, upright.width);
  for (int32_t y = 0; y < upright.height; ++y) {
    for (int32_t x = 0; x < upright.width; ++x) {
      std::copy_n(upright.at(x, y), 4, stored.at(y, upright.width - 1 - x));  // rotated to the left
    }
  }
  const UprightFrame plain = frame_of(picture());
  UprightFrame turned = frame_of(stored);
  turned.width = upright.width;
  turned.height = upright.height;
  turned.upright_to_stored = upright_to_stored(Orientation::kRotate90);
  std::array<Person, 2> persons;
  for (int i = 0; i < 2; ++i) {
    const UprightFrame& frame = i == 0 ? plain : turned;
    ASSERT_TRUE(finder->find(frame, kFirst).ok());
    persons[static_cast<size_t>(i)] = read(finder->found()).persons[0];
    ASSERT_EQ(persons[static_cast<size_t>(i)].points_count, 33);
  }
  // The pixels are the same, but interpolation rounds differently, and a heatmap may be confident in only one case.
  std::printf("%.5f of the frame width\n", distance(persons[0], persons[1]));
  EXPECT_LT(distance(persons[0], persons[1]), 0.006F);
  EXPECT_LT(std::abs(persons[0].points[11].x - persons[1].points[11].x), 1e-3F);
}

}  // namespace
}  // namespace sightglass::test
