// Anchors, and the decoder of single-shot detectors against a plain one on the CPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "detect/ssd_decoder.h"
#include "detect_reference.h"
#include "gl/shaders.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"

namespace sightglass::test {
namespace {

TEST(Anchors, MatchKnownDetectors) {
  const std::vector<Anchor> face = make_anchors(short_range_face());
  ASSERT_EQ(face.size(), 896u);
  EXPECT_EQ(face[0], (Anchor{0.5f / 16, 0.5f / 16}));
  EXPECT_EQ(face[1], face[0]) << "two per position";
  EXPECT_EQ(face[2], (Anchor{1.5f / 16, 0.5f / 16}));
  EXPECT_EQ(face[512], (Anchor{0.5f / 8, 0.5f / 8})) << "the second layer, six per position";
  EXPECT_EQ(face[895], (Anchor{7.5f / 8, 7.5f / 8}));

  AnchorGrid full_range{192, 192, {4}};
  full_range.interpolated_aspect_ratio = 0;
  EXPECT_EQ(make_anchors(full_range).size(), 2304u);
  EXPECT_EQ(make_anchors({224, 224, {8, 16, 32, 32, 32}}).size(), 2254u) << "BlazePose";

  AnchorGrid ssd{320, 320, {16, 32, 64, 128, 256, 512}, {1, 2, 0.5f, 3, 1.0f / 3}};
  ssd.least_scale = 0.2f;
  ssd.greatest_scale = 0.95f;
  ssd.unit_sizes = false;
  ssd.three_in_lowest_layer = true;
  const std::vector<Anchor> anchors = make_anchors(ssd);
  ASSERT_EQ(anchors.size(), 2034u);
  EXPECT_EQ(anchors[0], (Anchor{0.025f, 0.025f, 0.1f, 0.1f}));
  EXPECT_FLOAT_EQ(anchors[1].width, 0.2f * std::sqrt(2.0f));
  EXPECT_FLOAT_EQ(anchors[2].height, 0.2f * std::sqrt(2.0f));
  EXPECT_FLOAT_EQ(anchors[1205].width, std::sqrt(0.35f * 0.5f))
      << "between the scales of the second and the third layer";
  EXPECT_FLOAT_EQ(anchors.back().width, std::sqrt(0.95f)) << "between the scale of the last layer and 1";
}

class DetectTest : public GlTest {
 protected:
  GlBuffer upload(const std::vector<float>& numbers) {
    GLuint id = 0;
    gl().GenBuffers(1, &id);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
    gl().BufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(numbers.size() * sizeof(float)), numbers.data(),
                    GL_STATIC_DRAW);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return {gl(), id};
  }
  static BufferRange whole(const GlBuffer& buffer, const std::vector<float>& numbers) {
    return {buffer.id(), 0, static_cast<GLsizeiptr>(numbers.size() * sizeof(float))};
  }

  std::vector<Detection> decode(const SsdLayout& layout, const std::vector<float>& boxes,
                                const std::vector<float>& scores, const InputTransform& place,
                                const SsdChoice& choice) {
    const auto decoder = value_of(SsdDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    const GlBuffer of_boxes = upload(boxes), of_scores = upload(scores);
    const GlState before = snapshot_gl_state(gl());
    std::vector<Detection> found, again;
    for (std::vector<Detection>* into : {&found, &again}) {
      EXPECT_TRUE(decoder->decode(whole(of_boxes, boxes), whole(of_scores, scores), place, choice).ok());
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
      *into = read_detections(gl(), decoder->detections());
    }
    EXPECT_EQ(found, again) << "bit-identical from run to run";
    return found;
  }
};

// Boxes in clusters, so that some are suppressed, with some equal scores.
void fill(const SsdLayout& layout, uint64_t seed, std::vector<float>& boxes, std::vector<float>& scores) {
  uint64_t state = seed;
  const auto uniform = [&state](float low, float high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
  };
  const auto count = layout.anchors.size();
  for (size_t i = 0; i < count; ++i) {
    for (int32_t v = 0; v < layout.values; ++v) {
      const bool size = v == 2 || v == 3;
      const float scale = layout.x_scale;
      const float number = size && !layout.exponential_sizes ? uniform(-0.02f, 0.3f) : uniform(-0.05f, 0.05f);
      boxes.push_back(number * scale);
    }
    for (int32_t c = 0; c < layout.classes; ++c) {
      scores.push_back(std::round(uniform(-60, 8)) * 0.5f);
    }
  }
}

TEST_F(DetectTest, DecodesAsOnTheCpu) {
  SsdLayout face;
  face.anchors = make_anchors(short_range_face());
  face.values = 16;
  face.points = 6;
  face.x_scale = face.y_scale = face.width_scale = face.height_scale = 128;
  SsdLayout pose = face;
  pose.anchors = make_anchors({224, 224, {8, 16, 32, 32, 32}});
  pose.values = 12;
  pose.points = 4;
  SsdLayout plain;
  plain.anchors = make_anchors(short_range_face());
  for (Anchor& anchor : plain.anchors) anchor.width = anchor.height = 0.2f;
  plain.classes = 7;
  plain.background = 1;
  plain.x_scale = plain.y_scale = 10;
  plain.width_scale = plain.height_scale = 5;
  plain.exponential_sizes = plain.y_first = true;
  SsdLayout one = plain;
  one.anchors.resize(1);
  SsdLayout odd = face;  // points with a third value each, and one value before them
  odd.points = 3;
  odd.first_point = 5;
  odd.point_values = 3;
  int64_t total = 0;
  for (const SsdLayout& layout : {face, pose, plain, one, odd}) {
    for (const bool weighted : {true, false}) {
      for (const int32_t most : {kMaxDetections, 5}) {
        std::vector<float> boxes, scores;
        fill(layout, 7 + static_cast<uint64_t>(most), boxes, scores);
        const SsdChoice choice{0.6f, 0.3f, weighted, most};
        const InputTransform place{{0.8f, 0.0f, 0.1f, 0.0f, 1.25f, -0.125f}};
        const std::vector<Detection> expected = reference_ssd(layout, boxes, scores, place, choice);
        const std::vector<Detection> got = decode(layout, boxes, scores, place, choice);
        ASSERT_EQ(got.size(), expected.size()) << layout.values << " values, weighted " << weighted;
        total += static_cast<int64_t>(got.size());
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
          EXPECT_EQ(got[i].points_count, layout.points);
          EXPECT_NEAR(got[i].score, expected[i].score, 1e-6) << i;
          for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[i].box[k], expected[i].box[k], 2e-6) << i;
          for (size_t k = 0; k < static_cast<size_t>(layout.points); ++k) {
            EXPECT_NEAR(got[i].points[k][0], expected[i].points[k][0], 2e-6) << i << " point " << k;
            EXPECT_NEAR(got[i].points[k][1], expected[i].points[k][1], 2e-6) << i << " point " << k;
          }
        }
      }
    }
  }
  std::printf("%lld detections compared\n", static_cast<long long>(total));
  EXPECT_GT(total, 200);
}

TEST_F(DetectTest, EmptyAndInvalidOutputsHaveNoBoxes) {
  SsdLayout layout;
  layout.anchors = make_anchors(short_range_face());
  layout.values = 16;
  layout.points = 6;
  std::vector<float> boxes(896 * 16, 0.2f), scores(896, -50.0f);
  EXPECT_TRUE(decode(layout, boxes, scores, {}, {}).empty());
  std::ranges::fill(scores, std::nanf(""));
  EXPECT_TRUE(decode(layout, boxes, scores, {}, {}).empty()) << "NaN scores";
  std::ranges::fill(scores, 5.0f);
  std::ranges::fill(boxes, std::nanf(""));
  EXPECT_TRUE(decode(layout, boxes, scores, {}, {}).empty()) << "NaN boxes";
  std::ranges::fill(boxes, -0.2f);
  EXPECT_TRUE(decode(layout, boxes, scores, {}, {}).empty()) << "boxes of no size";
  std::ranges::fill(boxes, 0.2f);
  EXPECT_FALSE(decode(layout, boxes, scores, {}, {}).empty());
}

// threshold=0, and a quantized model whose scores have become 0.
TEST_F(DetectTest, BoxesWithoutScoresKeepTheirPositions) {
  SsdLayout layout;
  layout.anchors = make_anchors(short_range_face());
  layout.values = 16;
  layout.points = 6;
  layout.logits = false;
  const std::vector<float> boxes(896 * 16, 0.2f), scores(896);
  for (const bool weighted : {false, true}) {
    const std::vector<Detection> found = decode(layout, boxes, scores, {}, {0, 0.3f, weighted, 5});
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].score, 0);
    EXPECT_TRUE(std::isfinite(found[0].box[0])) << weighted;
    EXPECT_TRUE(std::isfinite(found[0].points[5][1])) << weighted;
  }
}

TEST_F(DetectTest, WrongLayoutsAndOutputsAreRejected) {
  const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
  SsdLayout layout;
  EXPECT_NE(SsdDecoder::create(group, layout).status().message().find("anchors: 0"), std::string::npos);
  layout.anchors.resize(SsdDecoder::kMostBoxes + 1);
  EXPECT_FALSE(SsdDecoder::create(group, layout).ok());
  layout.anchors.resize(10);
  layout.points = 1;
  EXPECT_FALSE(SsdDecoder::create(group, layout).ok()) << "no room for the point";
  layout.points = kMaxDetectionPoints + 1;
  layout.values = 100;
  EXPECT_FALSE(SsdDecoder::create(group, layout).ok()) << "too many points";
  layout.points = 0;
  layout.background = 1;
  EXPECT_FALSE(SsdDecoder::create(group, layout).ok()) << "only background";
  layout.background = 0;
  auto decoder = value_of(SsdDecoder::create(group, layout));
  const std::vector<float> numbers(1000);
  const GlBuffer buffer = upload(numbers);
  const Status refused = decoder->decode({buffer.id(), 0, 4000}, {buffer.id(), 0, 36}, {});
  EXPECT_NE(refused.message().find("36"), std::string::npos) << refused.message();
  ASSERT_TRUE(decoder->decode({buffer.id(), 0, 4000}, {buffer.id(), 256, 40}, {}).ok());
}

// On TensorFlow Lite outputs for photographs.
TEST_F(DetectTest, FindsFacesInReferenceOutputs) {
  for (const char* model : {"face/face_detection_short_range", "face/face_detection_full_range_sparse"}) {
    const auto cases = golden_cases_of(model);
    if (cases.empty()) GTEST_SKIP() << "no reference outputs next to the source tree";
    SsdLayout layout;
    AnchorGrid grid = short_range_face();
    float size = 128;
    if (std::string(model).find("full") != std::string::npos) {
      grid = {192, 192, {4}};
      grid.interpolated_aspect_ratio = 0;
      size = 192;
    }
    layout.anchors = make_anchors(grid);
    layout.values = 16;
    layout.points = 6;
    layout.x_scale = layout.y_scale = layout.width_scale = layout.height_scale = size;
    for (const GoldenCase& golden : cases) {
      if (golden.name != "picture") continue;
      const auto outputs = value_of(load_outputs(golden));
      std::vector<float> boxes(outputs.at(0).as<float>().begin(), outputs.at(0).as<float>().end());
      std::vector<float> scores(outputs.at(1).as<float>().begin(), outputs.at(1).as<float>().end());
      if (boxes.size() < scores.size()) std::swap(boxes, scores);
      const std::vector<Detection> expected = reference_ssd(layout, boxes, scores, {}, {});
      const std::vector<Detection> got = decode(layout, boxes, scores, {}, {});
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        std::printf("%s: box %.3f %.3f %.3f %.3f, score %.3f\n", model, got[i].box[0], got[i].box[1], got[i].box[2],
                    got[i].box[3], got[i].score);
        for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[i].box[k], expected[i].box[k], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace sightglass::test
