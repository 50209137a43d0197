// Compares PosenetDecoderOp with the decoder of glpose, on the same TensorFlow Lite maps for an image. Both grow people
// along the skeleton. The operator reads maps between cells and refines points five times, glpose at the nearest cell
// and twice. Points that both are confident about must be within half a cell.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "graph/posenet.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "pose_case.h"
#include "reference_decoders.h"
#include "sightglass/model.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr float kCell = 16, kScore = 0.1F;
constexpr const char* kModel = "posenet_mnv1_075_353x481_quant";

// Over points that both are confident about.
struct ConfidentDeviation {
  int points = 0;
  float worst = 0, sum = 0, score = 0;
  void add(float pixels, float scores) {
    ++points;
    worst = std::max(worst, pixels);
    sum += pixels;
    score = std::max(score, std::abs(scores));
  }
  float mean() const { return points > 0 ? sum / static_cast<float>(points) : INFINITY; }
};

class PosenetOperatorTest : public PoseTest {
 protected:
  // Only the operator, on maps of real numbers.
  std::vector<HostTensor> run(const std::vector<Grid>& maps) {
    CaseBuilder builder(1);
    std::vector<ValueId> inputs;
    std::vector<HostTensor> tensors;
    for (const Grid& map : maps) {
      const Shape shape{1, map.rows, map.columns, map.channels};
      inputs.push_back(builder.input(shape));
      tensors.push_back(HostTensor::from_floats(shape, map.numbers));
    }
    builder.node_with(OpType::kPosenetDecoder, PosenetDecoderAttr{kMaxPersons, 0.25F, 16, 20}, inputs, 4);
    const OpCase op = builder.build("PosenetDecoderOp");
    const auto model = value_of(model_from_graph(op.graph));
    const auto plan = value_of(Plan::build(model, device().limits, {}));
    const auto session = value_of(Session::create(gl(), plan));
    for (size_t i = 0; i < tensors.size(); ++i) EXPECT_TRUE(session->write_input(i, tensors[i].data).ok());
    EXPECT_TRUE(session->run().ok());
    std::vector<HostTensor> outputs;
    for (const TensorInfo& info : model->outputs()) {
      outputs.emplace_back(info.type, info.shape);
      EXPECT_TRUE(session->read_output(outputs.size() - 1, outputs.back().data).ok());
    }
    return outputs;
  }
};

TEST_F(PosenetOperatorTest, FindsTheSamePeopleAsGlpose) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models";
  const PoseModel model = load(model_file(kModel));
  const Golden golden = golden_of(kModel);
  const auto finder = one_stage_finder(model);
  ASSERT_TRUE(finder->find(frame_of(golden.picture), {.max_persons = kMaxPersons, .person_score = 0.25F}).ok());
  const Persons persons = read(finder->found());
  const auto outputs = run(golden.grids);
  ASSERT_EQ(outputs.size(), 4u);
  const auto points = outputs[posenet::kOutKeypoints].as<float>();
  const auto scores = outputs[posenet::kOutKeypointScores].as<float>();
  const auto count = static_cast<int>(outputs[posenet::kOutCount].as<float>()[0]);
  int seen = 0;
  for (int32_t i = 0; i < persons.count; ++i) seen += persons.persons[static_cast<size_t>(i)].points_count > 0 ? 1 : 0;
  std::printf("%d poses, %d persons\n", count, seen);
  EXPECT_EQ(count, seen);
  ASSERT_GT(count, 0);
  for (int pose = 0; pose < count; ++pose) {
    // The person who is nearest.
    ConfidentDeviation best;
    for (int32_t i = 0; i < persons.count; ++i) {
      const Person& person = persons.persons[static_cast<size_t>(i)];
      if (person.points_count == 0) continue;
      ConfidentDeviation deviation;
      for (size_t k = 0; k < 17; ++k) {
        const size_t at = static_cast<size_t>(pose) * 17 + k;
        if (scores[at] < 0.5F || person.points[k].visibility < 0.5F) continue;
        const float x = person.points[k].x * static_cast<float>(model.width) - 0.5F;
        const float y = person.points[k].y * static_cast<float>(model.height) - 0.5F;
        deviation.add(std::hypot(points[2 * at + 1] - x, points[2 * at] - y), scores[at] - person.points[k].visibility);
      }
      if (deviation.points > 0 && deviation.mean() < best.mean()) best = deviation;
    }
    std::printf("pose %d of score %.3f: %d points, %.2f pixels at most, %.2f in the mean; scores %.3f at most\n", pose,
                static_cast<double>(outputs[posenet::kOutPoseScores].as<float>()[static_cast<size_t>(pose)]),
                best.points, static_cast<double>(best.worst), static_cast<double>(best.mean()),
                static_cast<double>(best.score));
    EXPECT_GE(best.points, 8);
    EXPECT_LE(best.worst, kCell);
    EXPECT_LE(best.mean(), kCell / 4);
    EXPECT_LE(best.score, kScore);
  }
}

// Published models that end in the operator, on a photograph of three people. Noses are in pixels of the photograph.
TEST_F(PosenetOperatorTest, ModelsWithItFindThreePeople) {
  const std::string folder = shared_dir().value_or("../shared").string() + "/second/";
  constexpr std::array<std::array<float, 2>, 3> kNoses{{{185, 146}, {380, 468}, {875, 148}}};
  for (const std::string name :
       {"posenet_mnv1_075_353x481_quant_decoder", "bodypix_mnv1_075_480x352_16_quant_decoder"}) {
    const std::string file = folder + "models/" + name + ".tflite";
    if (!shared_dir() || !std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": no model to run";
    const PoseModel model = load(file);
    EXPECT_EQ(model.kind, PoseKind::kPoses);
    const auto finder = one_stage_finder(model);
    const UprightFrame frame = frame_of(folder + "media/mp_three_people.jpg");
    ASSERT_TRUE(finder->find(frame, {.max_persons = kMaxPersons, .person_score = 0.25F}).ok());
    const Persons found = read(finder->found());
    int people = 0;
    float worst = 0;
    for (int32_t i = 0; i < found.count; ++i) {
      const Person& person = found.persons[static_cast<size_t>(i)];
      if (person.points_count == 0) continue;
      ++people;
      float nearest = INFINITY;
      for (const auto& [x, y] : kNoses) {
        nearest = std::min(nearest, std::hypot(person.points[0].x * static_cast<float>(frame.width) - x,
                                               person.points[0].y * static_cast<float>(frame.height) - y));
      }
      worst = std::max(worst, nearest);
    }
    std::printf("%s: %d people, noses off by %.1f pixels at most\n", name.c_str(), people, static_cast<double>(worst));
    EXPECT_EQ(people, 3);
    EXPECT_LE(worst, 12);
  }
}

}  // namespace
}  // namespace sightglass::test
