// Anchors, and the decoder of single-shot detectors against a plain one on the CPU.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"
#include "detect_case.h"
#include "detect_reference.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
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

TEST(Anchors, OfCells) {
  const CellAnchors parts = value_of(parse_cell_anchors("sizes=0.1x0.2,0.3x0.4"));
  EXPECT_EQ(parts.sizes, (std::vector<std::array<float, 2>>{{0.1F, 0.2F}, {0.3F, 0.4F}}));
  EXPECT_FALSE(parts.in_cells);
  EXPECT_TRUE(value_of(parse_cell_anchors("cells=1.5x2")).in_cells);
  std::string many = "sizes=1x1";
  for (int i = 0; i < kMostCellAnchors; ++i) many += ",1x1";
  for (const auto& [text, words] : {std::pair{std::string(), "such as sizes=0.1x0.2"},
                                    {"strides=8", "such as sizes=0.1x0.2"},
                                    {"sizes=", "expected 1 to 16 anchors"},
                                    {many, "expected 1 to 16 anchors"},
                                    {"sizes=0.1x0.2,0.3", "0.3: expected a width and a height"},
                                    {"sizes=0x1", "0x1: expected a width and a height above 0"},
                                    {"sizes=-1x1", "-1x1: expected"},
                                    {"cells=nanx1", "nanx1: expected"},
                                    {"cells=1e30x1", "1e30x1: expected"}}) {
    const auto anchors = parse_cell_anchors(text);
    ASSERT_FALSE(anchors.ok()) << text;
    EXPECT_NE(anchors.status().message().find(words), std::string::npos) << anchors.status().message();
  }
}

// EfficientDet has all ratios of one size after the other, SSD with a feature pyramid all sizes of one ratio.
TEST(Anchors, OfFeaturePyramids) {
  const auto of = [](const char* more, int32_t side) {
    const std::string text = std::string("strides=8,16,32,64,128; ratios=1,2,0.5; ") + more;
    return make_anchors(value_of(parse_anchors(text, side, side)).grid);
  };
  for (const auto& [side, count] : {std::pair{320, 19206}, {384, 27621}, {448, 37629}, {512, 49104}, {640, 76725}}) {
    EXPECT_EQ(of("anchor-scale=3; octaves=3", side).size(), static_cast<size_t>(count)) << side;
  }
  const std::vector<Anchor> lite = of("anchor-scale=3; octaves=3", 320),
                            ssd = of("anchor-scale=4; octaves=2; by-ratio=1", 320);
  ASSERT_EQ(ssd.size(), 12804U);
  EXPECT_EQ(lite[0], (Anchor{0.0125F, 0.0125F, 3.0F / 40, 3.0F / 40}));
  EXPECT_FLOAT_EQ(lite[1].width, 3 * std::sqrt(2.0F) / 40);
  EXPECT_FLOAT_EQ(lite[3].width, 3 * std::exp2(1.0F / 3) / 40) << "the next size";
  EXPECT_FLOAT_EQ(lite.back().height, 3 * std::exp2(2.0F / 3) * std::sqrt(2.0F) / 3) << "of three cells per side";
  EXPECT_FLOAT_EQ(ssd[1].width, 4 * std::sqrt(2.0F) / 40) << "the next size";
  EXPECT_FLOAT_EQ(ssd[2].width, 4 * std::sqrt(2.0F) / 40) << "the next ratio";
  EXPECT_FLOAT_EQ(ssd[2].height, 4 / std::sqrt(2.0F) / 40);
  // As MediaPipe has them for BlazeFace, and as TensorFlow for SSD.
  EXPECT_EQ(make_anchors(value_of(parse_anchors("strides=8,16,16,16", 128, 128)).grid),
            make_anchors(short_range_face()));
  const AnchorChoice tf = value_of(parse_anchors(
      "strides=16,32,64,128,256,512;scales=0.2,0.95;ratios=1,2,0.5,3,0.3333;lowest-three=1;factors=10,5;background=1",
      300, 300));
  EXPECT_EQ(make_anchors(tf.grid).size(), 1917U);
  EXPECT_EQ(tf.factors, (std::array<float, 2>{10, 5}));
  EXPECT_EQ(tf.background, 1);
  EXPECT_TRUE(tf.y_first);
  EXPECT_FALSE(value_of(parse_anchors("strides=8 order=xy", 64, 64)).y_first);
}

TEST(Anchors, ErrorsNameTheKey) {
  for (const auto& [text, words] : {std::pair{"stride=8", "stride=8: unknown key; use one of order, strides"},
                                    {"ratios=1", "set strides"},
                                    {"strides=0", "set strides"},
                                    {"strides=8,x", "strides=8,x: expected 1 or more numbers"},
                                    {"strides=8;scales=0.2", "scales=0.2: expected 2 number(s)"},
                                    {"strides=8;order=zx", "order=zx: expected yx or xy"},
                                    {"strides=8;ratios=0", "are above 0"},
                                    {"strides=8;factors=0,1", "are above 0"},
                                    {"strides=1e30", "strides=1e30: expected"},
                                    {"strides=8;octaves=1000", "octaves (at most 16)"},
                                    {"strides=1,1,1,1,1;ratios=1,2,3,4,5", "more than the supported"}}) {
    const auto choice = parse_anchors(text, 128, 128);
    ASSERT_FALSE(choice.ok()) << text;
    EXPECT_NE(choice.status().message().find(words), std::string::npos) << choice.status().message();
  }
}

class DetectTest : public DetectCase {
 protected:
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

// Values of a YOLO head: clusters of boxes around objects, so that boxes of the same and of other classes overlap.
std::vector<float> yolo_values(const YoloLayout& layout, Scores scores, bool pixels, uint64_t seed) {
  uint64_t state = seed;
  const auto uniform = [&state](float low, float high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
  };
  const float width = pixels ? static_cast<float>(layout.width) : 1;
  const float height = pixels ? static_cast<float>(layout.height) : 1;
  std::vector<float> values(static_cast<size_t>(layout.boxes) * static_cast<size_t>(layout.values));
  for (int32_t row = 0; row < layout.boxes; ++row) {
    const auto set = [&](int32_t i, float v) {
      const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
      values[static_cast<size_t>(at)] = v;
    };
    const float object = std::floor(uniform(0, 12));
    const float x = (0.08f * object + uniform(0, 0.03f)) * width,
                y = (0.9f - 0.07f * object + uniform(0, 0.03f)) * height;
    const float w = uniform(-0.01f, 0.2f) * width, h = uniform(0.05f, 0.25f) * height;
    const auto score = [&] { return random_score(scores, 0.98F, uniform); };
    if (layout.ranked) {
      set(0, x - w / 2), set(1, y - h / 2), set(2, x + w / 2), set(3, y + h / 2);
      set(4, score());
      set(5, std::floor(uniform(0, 5)));
    } else {
      set(0, x), set(1, y), set(2, w), set(3, h);
      if (layout.strides[0] > 0) {  // in cells
        for (const int32_t i : {0, 1}) set(i, uniform(-0.2F, 1.2F));
        for (const int32_t i : {2, 3}) set(i, uniform(-0.5F, 2));
      }
      if (layout.objectness) set(4, scores == Scores::kDense ? 1.0f : uniform(0.5f, 1));
      for (int32_t c = 0; c < layout.classes; ++c) set(4 + (layout.objectness ? 1 : 0) + c, score());
    }
    if (scores == Scores::kDamaged && row % 7 == 0) set(row % 4, row % 2 == 0 ? std::nanf("") : INFINITY);
    for (int32_t i = layout.first_further(); i < layout.values; ++i) set(i, uniform(-1, 1));
  }
  return values;
}

// What an 8-bit output holds: multiples of a step.
void round_to_bytes(std::vector<float>& values, float step) {
  for (float& v : values) v = std::clamp(std::round(v / step), 0.0f, 255.0f) * step;
}

TEST_F(DetectTest, YoloHeadsDecodeAsOnTheCpu) {
  struct Case {
    const char* name;
    YoloLayout layout;
    bool pixels = false, bytes = false;
  };
  const YoloLayout v8{8400, 84, true, 80, false, false, 0, 640, 640};
  const YoloLayout turned{8400, 84, false, 80, false, false, 0, 640, 640};
  const YoloLayout v5{25200, 85, false, 80, true, false, 0, 640, 640};
  const YoloLayout small{756, 5, true, 1, false, false, 0, 192, 192};
  const YoloLayout wide{3780, 9, true, 5, false, false, 0, 640, 288};
  const YoloLayout masks{1029, 40, true, 4, false, false, 32, 224, 224};
  const YoloLayout ranked{300, 6, false, 0, false, true, 0, 640, 640};
  const YoloLayout x{8400, 85, false, 80, true, false, 0, 640, 640, {8, 16, 32}};
  const YoloLayout odd_x{1842, 7, true, 2, true, false, 0, 330, 260, {8, 16, 32, 0}};
  const YoloLayout one{1, 6, false, 1, true, false, 0, 64, 64};
  int64_t total = 0;
  double worst = 0;
  for (const auto& [name, layout, pixels, bytes] :
       {Case{"v8", v8}, Case{"v8 in pixels", v8, true}, Case{"v8, boxes first", turned}, Case{"v5", v5},
        Case{"v5 in pixels", v5, true}, Case{"v5 of 8 bits", v5, false, true},
        Case{"one class of 8 bits", small, false, true}, Case{"wide in pixels", wide, true}, Case{"masks", masks},
        Case{"ranked", ranked}, Case{"ranked in pixels", ranked, true}, Case{"one box", one}, Case{"YOLOX", x},
        Case{"YOLOX of an odd size", odd_x}}) {
    const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    for (const Scores scores : {Scores::kSparse, Scores::kDense, Scores::kTied, Scores::kNone, Scores::kDamaged}) {
      for (const int32_t most : {kMaxDetections, 7}) {
        SCOPED_TRACE(std::string(name) + ", scores " + std::to_string(static_cast<int>(scores)));
        std::vector<float> output = yolo_values(layout, scores, pixels, 11 + static_cast<uint64_t>(most));
        if (bytes) round_to_bytes(output, 1.0f / 255);
        const SsdChoice choice{0.25f, 0.45f, false, most};
        const InputTransform place{{0.8f, 0.0f, 0.1f, 0.0f, 1.25f, -0.125f}};
        const std::vector<Detection> expected = reference_yolo(layout, output, place, choice);
        const GlBuffer buffer = upload(output);
        const GlState before = snapshot_gl_state(gl());
        std::vector<Detection> got, again;
        for (std::vector<Detection>* into : {&got, &again}) {
          ASSERT_TRUE(decoder->decode(whole(buffer, output), place, choice).ok());
          EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
          *into = read_detections(gl(), decoder->detections());
        }
        EXPECT_EQ(got, again) << "bit-identical from run to run";
        ASSERT_EQ(got.size(), expected.size());
        EXPECT_TRUE(scores != Scores::kNone || got.empty());
        total += static_cast<int64_t>(got.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i].row, expected[i].row) << i << ": score " << got[i].score - expected[i].score << " class "
                                                 << got[i].class_id << " " << expected[i].class_id;
          EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
          EXPECT_NEAR(got[i].score, expected[i].score, 1e-6) << i;
          for (size_t k = 0; k < 4; ++k) {
            const double of = k % 2 == 0 ? layout.width : layout.height;
            worst = std::max(worst, of * std::abs(double{got[i].box[k]} - expected[i].box[k]));
          }
        }
      }
    }
  }
  std::printf("%lld detections compared, boxes off by %.5f pixels at most\n", static_cast<long long>(total), worst);
  EXPECT_GT(total, 2000);
  EXPECT_LE(worst, 0.5);
  EXPECT_LE(worst, 0.01) << "float arithmetic";
}

TEST_F(DetectTest, GridsDecodeAsOnTheCpu) {
  YoloLayout small{12 * 12, 3, false, 2, false, false, 0, 96, 96};
  small.grid_columns = 12;
  YoloLayout wide{40 * 24, 6, false, 5, false, false, 0, 320, 192};
  wide.grid_columns = 40;
  wide.logits = true;
  uint32_t state = 3;
  const auto uniform = [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<float>(state >> 8) * 0x1p-24F;
  };
  int64_t total = 0;
  double worst = 0;
  for (const YoloLayout& layout : {small, wide}) {
    const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    for (const bool tied : {false, true}) {
      std::vector<float> output;
      for (int32_t cell = 0; cell < layout.boxes; ++cell) {
        std::vector<float> values;
        for (int32_t c = 0; c < layout.values; ++c) {
          const float v = layout.logits ? 8 * uniform() - 4 : uniform();
          values.push_back(tied ? std::round(4 * v) / 4 : v);
        }
        const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
        for (const float v : values) output.push_back(layout.logits || tied ? v : v / sum);
      }
      for (const int32_t most : {kMaxDetections, 5}) {
        const SsdChoice choice{0.3F, 0.45F, false, most};
        const InputTransform place{{0.8F, 0.0F, 0.1F, 0.0F, 1.25F, -0.125F}};
        const std::vector<Detection> expected = reference_grid(layout, output, place, choice);
        const GlBuffer buffer = upload(output);
        ASSERT_TRUE(decoder->decode(whole(buffer, output), place, choice).ok());
        const std::vector<Detection> got = read_detections(gl(), decoder->detections());
        ASSERT_EQ(got.size(), expected.size());
        total += static_cast<int64_t>(got.size());
        for (size_t i = 0; i < got.size(); ++i) {
          // With a softmax, equal scores differ by rounding.
          if (!layout.logits || !tied) {
            ASSERT_EQ(got[i].row, expected[i].row) << i;
          }
          EXPECT_NEAR(got[i].score, expected[i].score, 1e-5) << i;
          if (got[i].row != expected[i].row) continue;
          EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
          for (size_t k = 0; k < 4; ++k) {
            worst = std::max(worst, layout.width * std::abs(double{got[i].box[k]} - expected[i].box[k]));
          }
        }
      }
    }
  }
  std::printf("%lld objects compared, boxes off by %.5f pixels at most\n", static_cast<long long>(total), worst);
  EXPECT_GT(total, 100);
  EXPECT_LE(worst, 0.01);
}

// The masks of objects, and the foreground of some classes, as a scalar loop over cells and objects has them.
TEST_F(DetectTest, YoloMasksAreThoseOfTheCpu) {
  const YoloLayout layout{1029, 40, true, 4, false, false, 32, 224, 224};
  const Shape shape{1, 56, 40, 32};
  const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
  const auto decoder = value_of(YoloDecoder::create(group, layout));
  const std::vector<float> output = yolo_values(layout, Scores::kSparse, false, 5);
  std::vector<float> prototypes;
  uint32_t state = 9;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    prototypes.push_back(static_cast<float>((state = state * 1664525 + 1013904223) >> 8) * 0x1p-22f - 2);
  }
  const GlBuffer boxes = upload(output), images = upload(prototypes);
  const InputTransform place{{0.9f, 0, 0.1f, 0, 1.2f, -0.1f}};
  ASSERT_TRUE(decoder->decode(whole(boxes, output), place, {0.4f, 0.45f, false, 60}).ok());
  const std::vector<Detection> found = read_detections(gl(), decoder->detections());
  ASSERT_GT(found.size(), 20u);
  for (const auto shows : {YoloMasks::Shows::kObjects, YoloMasks::Shows::kForeground, YoloMasks::Shows::kNumbers}) {
    const std::vector<int32_t> counted{1, 3};
    YoloMasks masks = value_of(YoloMasks::create(group, layout, shape, shows, counted));
    const GlState before = snapshot_gl_state(gl());
    masks.run(whole(boxes, output), whole(images, prototypes), decoder->detections(), place);
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
    const Rgba got = download(gl(), masks.texture().id, 40, 56);
    int inside = 0, misnumbered = 0;
    double worst = 0;
    for (int32_t y = 0; y < 56; ++y) {
      for (int32_t x = 0; x < 40; ++x) {
        const double at_x = 0.9 * (x + 0.5) / 40 + 0.1, at_y = 1.2 * (y + 0.5) / 56 - 0.1;
        double best = 0;
        std::vector<double> probabilities;  // by object
        for (const Detection& object : found) {
          probabilities.push_back(0);
          const bool counts =
              shows != YoloMasks::Shows::kForeground || std::ranges::find(counted, object.class_id) != counted.end();
          if (!counts || at_x < object.box[0] || at_y < object.box[1] || at_x > object.box[2] || at_y > object.box[3])
            continue;
          double sum = 0;
          for (size_t k = 0; k < 32; ++k) {
            sum += output[(8 + k) * 1029 + static_cast<size_t>(object.row)] *
                   prototypes[static_cast<size_t>(y * 40 + x) * 32 + k];
          }
          probabilities.back() = 1 / (1 + std::exp(-sum));
          best = std::max(best, probabilities.back());
        }
        inside += best > 0 ? 1 : 0;
        const size_t channel = shows == YoloMasks::Shows::kObjects ? 3 : 0;
        worst = std::max(worst, std::abs(got.at(x, y)[channel] - 255 * best));
        if (shows != YoloMasks::Shows::kNumbers) continue;
        // One that is as probable as the best, up to rounding.
        const size_t number = got.at(x, y)[1];
        const bool is_right = best == 0 ? number == 0
                                        : number > 0 && number <= found.size() && probabilities[number - 1] > 0 &&
                                              best - probabilities[number - 1] <= 1e-5;
        misnumbered += is_right ? 0 : 1;
      }
    }
    EXPECT_EQ(misnumbered, 0);
    std::printf("%d of 2240 cells in boxes, off by %.2f of 255 at most\n", inside, worst);
    EXPECT_GT(inside, 200);
    EXPECT_LE(worst, 0.6);
  }
  EXPECT_FALSE(YoloMasks::create(group, layout, {1, 56, 40, 16}, YoloMasks::Shows::kObjects).ok());
}

TEST_F(DetectTest, WrongYoloLayoutsAndOutputsAreRejected) {
  const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
  YoloLayout layout{8400, 84, true, 80, false, false, 0, 640, 640};
  layout.boxes = 0;
  EXPECT_NE(YoloDecoder::create(group, layout).status().message().find("boxes: 0"), std::string::npos);
  layout.boxes = SsdDecoder::kMostBoxes + 1;
  EXPECT_FALSE(YoloDecoder::create(group, layout).ok());
  layout.boxes = 8400;
  layout.values = 85;
  EXPECT_FALSE(YoloDecoder::create(group, layout).ok()) << "a value that is nothing";
  layout.values = 84;
  const auto decoder = value_of(YoloDecoder::create(group, layout));
  const std::vector<float> numbers(100);
  const GlBuffer buffer = upload(numbers);
  const Status refused = decoder->decode(whole(buffer, numbers), {});
  EXPECT_NE(refused.message().find("400 bytes, expected 2822400"), std::string::npos) << refused.message();
}

// The time per frame that decoding takes, for the record.
TEST_F(DetectTest, YoloTime) {
  const YoloLayout layout{8400, 84, true, 80, false, false, 0, 640, 640};
  const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
  for (const auto& [name, scores] : {std::pair{"2 of 100 scores", Scores::kSparse}, {"all boxes", Scores::kDense}}) {
    const std::vector<float> output = yolo_values(layout, scores, false, 3);
    const GlBuffer buffer = upload(output);
    constexpr int kRuns = 20;
    double best = 1e9;
    for (int i = 0; i < kRuns; ++i) {
      gl().Finish();
      const auto begin = std::chrono::steady_clock::now();
      ASSERT_TRUE(decoder->decode(whole(buffer, output), {}, {0.5f, 0.45f, false, 10}).ok());
      gl().Finish();
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("8400 boxes of 80 classes, %s: %.2f ms, %zu found\n", name, best,
                read_detections(gl(), decoder->detections()).size());
  }
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
