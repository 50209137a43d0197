// Heads with distributions, and face detectors of several outputs, against plain decoders on the CPU.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"
#include "detect_case.h"
#include "detect_reference.h"
#include "gl/shaders.h"
#include "harness/gl_state.h"
#include "harness/value_of.h"

namespace sightglass::test {
namespace {

using HeadsTest = DetectCase;

// A plain decoder of rotated boxes on the CPU, with covariances as matrices.
struct RotatedBox {
  float score = 0;
  int32_t class_id = 0, row = 0;
  double x = 0, y = 0, width = 0, height = 0, angle = 0;  // pixels of the model input; radians

  std::array<double, 3> covariance() const {  // xx, yy, xy
    const double a = width * width / 12, b = height * height / 12, c = std::cos(angle), s = std::sin(angle);
    return {a * c * c + b * s * s, a * s * s + b * c * c, (a - b) * c * s};
  }
};

double reference_prob_iou(const RotatedBox& one, const RotatedBox& other) {
  const auto [a1, b1, c1] = one.covariance();
  const auto [a2, b2, c2] = other.covariance();
  const double a = a1 + a2, b = b1 + b2, c = c1 + c2, x = one.x - other.x, y = one.y - other.y;
  const double determinant = a * b - c * c;
  const double apart = (a * y * y + b * x * x - 2 * c * x * y) / determinant / 4;
  const double unlike = std::log(determinant / (4 * std::sqrt((a1 * b1 - c1 * c1) * (a2 * b2 - c2 * c2)))) / 2;
  return 1 - std::sqrt(std::max(0.0, 1 - std::exp(-apart - unlike)));
}

std::vector<Detection> reference_rotated(const YoloLayout& layout, const std::vector<float>& output,
                                         const InputTransform& to_upright, const SsdChoice& choice) {
  const auto value = [&](int32_t row, int32_t i) {
    const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
    return output[static_cast<size_t>(at)];
  };
  float largest = 0;
  for (int32_t row = 0; row < layout.boxes; ++row) {
    for (const float middle : {value(row, 0), value(row, 1)}) {
      if (middle > largest && middle < 1e9F) largest = middle;
    }
  }
  const double across = largest > 8 ? 1 : layout.width, down = largest > 8 ? 1 : layout.height;
  std::vector<RotatedBox> left;
  for (int32_t row = 0; row < layout.boxes; ++row) {
    RotatedBox box{
        -1, 0, row, value(row, 0) * across, value(row, 1) * down, value(row, 2) * across, value(row, 3) * down};
    double angle = value(row, layout.values - 1);
    bool is_box = std::abs(angle) < 1000;
    for (int32_t i = 0; i < 4; ++i)
      is_box = is_box && std::abs(value(row, i)) < 1e5F && (i < 2 || value(row, i) > 1e-6F);
    if (layout.ranked) {
      box.score = value(row, 4);
      box.class_id = static_cast<int32_t>(value(row, 5));
    }
    for (int32_t c = 0; c < layout.classes; ++c) {
      if (!(value(row, 4 + c) > box.score)) continue;
      box.score = value(row, 4 + c);
      box.class_id = c;
    }
    if (!is_box || !(box.score >= choice.threshold)) continue;
    while (angle > M_PI / 2 + 1e-5) angle -= M_PI;
    while (angle < -M_PI / 2 + 1e-5) angle += M_PI;
    box.angle = angle;
    left.push_back(box);
  }
  std::ranges::stable_sort(left, std::ranges::greater{}, &RotatedBox::score);
  std::vector<Detection> results;
  while (!left.empty() && results.size() < static_cast<size_t>(choice.most)) {
    const RotatedBox best = left.front();
    std::erase_if(left, [&](const RotatedBox& other) {
      if (other.row == best.row) return true;
      return !layout.ranked && other.class_id == best.class_id &&
             reference_prob_iou(best, other) > double{choice.iou_threshold};
    });
    Detection& result = results.emplace_back();
    result.score = best.score;
    result.class_id = best.class_id;
    result.row = best.row;
    result.corners_count = 4;
    result.box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    const double c = std::cos(best.angle) / 2, s = std::sin(best.angle) / 2;
    for (size_t k = 0; k < 4; ++k) {
      const double right = k == 1 || k == 2 ? best.width : -best.width, below = k >= 2 ? best.height : -best.height;
      const double x = (best.x + right * c - below * s) / layout.width,
                   y = (best.y + right * s + below * c) / layout.height;
      const auto& m = to_upright.m;
      result.points[k] = {static_cast<float>(m[0] * x + m[1] * y + m[2]),
                          static_cast<float>(m[3] * x + m[4] * y + m[5])};
      for (size_t axis = 0; axis < 2; ++axis) {
        result.box[axis] = std::min(result.box[axis], result.points[k][axis]);
        result.box[2 + axis] = std::max(result.box[2 + axis], result.points[k][axis]);
      }
    }
  }
  return results;
}

// Groups of boxes around some places, of all angles.
std::vector<float> rotated_values(const YoloLayout& layout, Scores rows, bool pixels, uint64_t seed) {
  uint64_t state = seed;
  const auto uniform = [&state](float low, float high) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24F;
  };
  const auto width = static_cast<float>(layout.width), height = static_cast<float>(layout.height);
  std::vector<float> values(static_cast<size_t>(layout.boxes) * static_cast<size_t>(layout.values));
  for (int32_t row = 0; row < layout.boxes; ++row) {
    const auto set = [&](int32_t i, float v) {
      const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
      values[static_cast<size_t>(at)] = v;
    };
    const float object = std::floor(uniform(0, 12));
    const float unit = std::min(width, height);
    float box[] = {(0.06F + 0.08F * object) * width + uniform(0, 0.02F) * unit,
                   (0.9F - 0.07F * object) * height + uniform(0, 0.02F) * unit, uniform(-0.01F, 0.4F) * unit,
                   uniform(0.01F, 0.1F) * unit};
    float angle = 0.5F * object + uniform(-0.1F, 0.1F);  // from 0 to beyond pi
    if (row % 5 == 0) angle = uniform(-8, 8);
    if (row % 11 == 0) angle = static_cast<float>(M_PI / 2) * std::floor(uniform(-3, 4));
    if (row % 13 == 0) box[3] = uniform(0, 0.2F);  // a line
    for (int32_t i = 0; i < 4; ++i) set(i, pixels ? box[i] : box[i] / (i % 2 == 0 ? width : height));
    set(layout.values - 1, angle);
    const auto score = [&] { return random_score(rows, 0.95F, uniform); };
    for (int32_t c = 0; c < layout.classes; ++c) set(4 + c, score());
    if (layout.ranked) {
      set(4, score());
      set(5, std::floor(uniform(0, 5)));
    }
    if (rows != Scores::kDamaged) continue;
    const float wrong[] = {std::nanf(""), INFINITY, -INFINITY, 0, -1, 3e5F};
    if (row % 7 == 0) set(row % 4, wrong[row % 6]);
    if (row % 10 == 0) set(layout.values - 1, row % 4 == 0 ? std::nanf("") : row % 4 == 2 ? INFINITY : 2000);
  }
  return values;
}

// Rotated boxes of one output after the other: the same boxes, in the same order, with the same corners.
TEST_F(HeadsTest, RotatedBoxesDecodeAsOnTheCpu) {
  struct Case {
    const char* name;
    YoloLayout layout;
    bool pixels = false, bytes = false;
  };
  const YoloLayout last{8400, 20, true, 15, false, false, 1, 640, 640},
      first{8400, 20, false, 15, false, false, 1, 640, 640};
  const YoloLayout wide{3780, 7, true, 2, false, false, 1, 640, 288},
      ranked{300, 7, false, 0, false, true, 1, 640, 384};
  const YoloLayout one{1, 6, false, 1, false, false, 1, 64, 64}, small{756, 6, true, 1, false, false, 1, 192, 192};
  size_t total = 0;
  double worst = 0, worst_box = 0;
  for (auto [name, layout, pixels, bytes] :
       {Case{"values first", last}, Case{"values first, in pixels", last, true}, Case{"boxes first", first},
        Case{"boxes first, in pixels", first, true}, Case{"wide", wide}, Case{"wide, in pixels", wide, true},
        Case{"8 bits", small, false, true}, Case{"ranked", ranked}, Case{"ranked, in pixels", ranked, true},
        Case{"one box", one}}) {
    layout.rotated = true;
    const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    for (const Scores rows : {Scores::kSparse, Scores::kDense, Scores::kTied, Scores::kNone, Scores::kDamaged}) {
      for (const int32_t most : {kMaxDetections, 7}) {
        SCOPED_TRACE(std::string(name) + ", scores " + std::to_string(static_cast<int>(rows)));
        std::vector<float> output = rotated_values(layout, rows, pixels, 7 + static_cast<uint64_t>(most));
        if (bytes) {  // multiples of a step from a zero point
          for (float& v : output) v = std::clamp(std::round(v * 80), -64.0F, 191.0F) / 80;
        }
        const SsdChoice choice{0.25F, 0.45F, false, most};
        // Also on its side.
        const InputTransform place = most == 7 ? InputTransform{{0, -1.25F, 1.125F, 0.8F, 0, 0.1F}}
                                               : InputTransform{{0.8F, 0, 0.1F, 0, 1.25F, -0.125F}};
        const std::vector<Detection> expected = reference_rotated(layout, output, place, choice);
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
        EXPECT_TRUE(rows != Scores::kNone || got.empty());
        total += got.size();
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i].row, expected[i].row) << i;
          EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
          EXPECT_EQ(got[i].score, expected[i].score) << i;
          EXPECT_EQ(got[i].corners_count, 4) << i;
          EXPECT_EQ(got[i].points_count, 0) << i;
          const double across = most == 7 ? layout.height : layout.width,
                       down = most == 7 ? layout.width : layout.height;
          for (size_t k = 0; k < 4; ++k) {
            worst_box = std::max(worst_box,
                                 (k % 2 == 0 ? across : down) * std::abs(double{got[i].box[k]} - expected[i].box[k]));
            for (size_t axis = 0; axis < 2; ++axis) {
              const double off = std::abs(double{got[i].points[k][axis]} - expected[i].points[k][axis]);
              worst = std::max(worst, (axis == 0 ? across : down) * off);
            }
          }
        }
      }
    }
  }
  std::printf("%zu rotated boxes compared, corners off by %.5f pixels at most, boxes by %.5f\n", total, worst,
              worst_box);
  EXPECT_GT(total, 1500U);
  EXPECT_LE(worst, 0.5);
  EXPECT_LE(std::max(worst, worst_box), 0.02) << "float arithmetic";
}

// Which overlap of two boxes of one class is too much, by numbers that are known.
TEST_F(HeadsTest, RotatedBoxesOverlapByTheirDistributions) {
  YoloLayout layout{2, 6, false, 1, false, false, 1, 640, 320};
  layout.rotated = true;
  const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
  const auto found = [&](const std::array<float, 5>& a, const std::array<float, 5>& b, float limit, bool fractions) {
    std::vector<float> output{a[0], a[1], a[2], a[3], 0.9F, a[4], b[0], b[1], b[2], b[3], 0.8F, b[4]};
    for (size_t i = 0; fractions && i < output.size(); ++i) {
      if (i % 6 < 4) output[i] /= i % 2 == 0 ? 640.0F : 320.0F;
    }
    const GlBuffer buffer = upload(output);
    EXPECT_TRUE(decoder->decode(whole(buffer, output), {}, {0.5F, limit, false, kMaxDetections}).ok());
    return read_detections(gl(), decoder->detections()).size();
  };
  constexpr auto kRight = static_cast<float>(M_PI / 2);
  struct Case {
    std::array<float, 5> a, b;
    double overlap;
  };
  // Equal squares of 12 x 12 have variances of 12: B = d*d/96. Two bars of 100 x 25 across each other have
  // B = ln((a + b) * (a + b) / (4 * a * b)) / 2 = ln(2.125) with a = 16 b.
  for (const auto& [a, b, overlap] :
       {Case{{100, 100, 12, 12, 0}, {100, 108, 12, 12, kRight}, 1 - std::sqrt(1 - std::exp(-64.0 / 96))},
        Case{{200, 100, 12, 12, 0.3F}, {208, 100, 12, 12, 0.3F}, 1 - std::sqrt(1 - std::exp(-64.0 / 96))},
        Case{{300, 100, 100, 25, 0}, {300, 100, 100, 25, kRight}, 1 - std::sqrt(1 - 1 / 2.125)},
        Case{{300, 100, 100, 25, 1}, {300, 100, 25, 100, 1 - kRight}, 1},
        Case{{300, 100, 100, 25, 1}, {300, 100, 100, 25, 1 + 2 * kRight}, 1},
        Case{{300, 100, 500, 2, 0.7F}, {300, 100, 500, 2, 0.7F}, 1}}) {
    for (const bool fractions : {false, true}) {
      EXPECT_EQ(found(a, b, static_cast<float>(overlap) - 2e-3F, fractions), 1U) << overlap << fractions;
      EXPECT_EQ(found(a, b, static_cast<float>(overlap) + 2e-3F, fractions), 2U) << overlap << fractions;
    }
  }
  layout.further = 0;
  EXPECT_FALSE(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout).ok()) << "no angle";
}

// The time per frame that decoding takes, for the record.
TEST_F(HeadsTest, RotatedTime) {
  YoloLayout layout{8400, 20, true, 15, false, false, 1, 640, 640};
  layout.rotated = true;
  const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
  for (const auto& [name, rows] : {std::pair{"1 of 20 scores", Scores::kSparse}, {"all boxes", Scores::kDense}}) {
    const std::vector<float> output = rotated_values(layout, rows, false, 3);
    const GlBuffer buffer = upload(output);
    double best = 1e9;
    for (int i = 0; i < 20; ++i) {
      gl().Finish();
      const auto begin = std::chrono::steady_clock::now();
      ASSERT_TRUE(decoder->decode(whole(buffer, output), {}, {0.25F, 0.45F, false, 10}).ok());
      gl().Finish();
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("8400 rotated boxes of 15 classes, %s: %.2f ms per frame\n", name, best);
  }
}

TEST_F(HeadsTest, DistributionsDecodeAsOnTheCpu) {
  uint32_t state = 3;
  const auto uniform = [&state](float low, float high) {
    state = state * 1664525 + 1013904223;
    return low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24F;
  };
  YoloLayout plus{2125, 112, false, 80, false, false, 0, 320, 320, {8, 16, 32, 64}};
  YoloLayout first{2100, 37, true, 5, false, false, 0, 320, 320, {8, 16, 32}};
  YoloLayout odd{42 * 25 + 21 * 13 + 11 * 7 + 6 * 4, 33, false, 1, false, false, 0, 330, 200, {8, 16, 32, 64}};
  size_t total = 0;
  double worst = 0;
  for (YoloLayout layout : {plus, first, odd}) {
    layout.bins = 8;
    const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    std::vector<float> output(static_cast<size_t>(layout.boxes) * static_cast<size_t>(layout.values));
    for (int32_t row = 0; row < layout.boxes; ++row) {
      for (int32_t i = 0; i < layout.values; ++i) {
        const int64_t at = layout.boxes_last ? int64_t{i} * layout.boxes + row : int64_t{row} * layout.values + i;
        const bool is_score = i < layout.classes;
        output[static_cast<size_t>(at)] = is_score ? std::pow(uniform(0, 1), 8.0F) : uniform(-4, 4);
        if (row % 50 == 7 && i == layout.classes + 3) output[static_cast<size_t>(at)] = std::nanf("");
      }
    }
    for (const int32_t most : {kMaxDetections, 9}) {
      const SsdChoice choice{0.5F, 0.45F, false, most};
      const InputTransform place{{0.8F, 0.0F, 0.1F, 0.0F, 1.25F, -0.125F}};
      const std::vector<Detection> expected = reference_distributions(layout, output, place, choice);
      const GlBuffer buffer = upload(output);
      ASSERT_TRUE(decoder->decode(whole(buffer, output), place, choice).ok());
      const std::vector<Detection> got = read_detections(gl(), decoder->detections());
      ASSERT_EQ(got.size(), expected.size());
      total += got.size();
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].row, expected[i].row) << i;
        EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
        EXPECT_FLOAT_EQ(got[i].score, expected[i].score) << i;
        for (size_t k = 0; k < 4; ++k) {
          const double of = k % 2 == 0 ? layout.width : layout.height;
          worst = std::max(worst, of * std::abs(double{got[i].box[k]} - expected[i].box[k]));
        }
      }
    }
  }
  std::printf("%zu boxes compared, off by %.5f pixels at most\n", total, worst);
  EXPECT_GT(total, 150U);
  EXPECT_LE(worst, 0.01);
  plus.bins = 7;
  EXPECT_FALSE(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), plus).ok());
}

TEST_F(HeadsTest, FacesDecodeAsOnTheCpu) {
  uint64_t state = 3;
  const auto uniform = [&state](float low, float high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
  };
  size_t total = 0;
  double worst = 0;
  for (const FaceKind kind : {FaceKind::kScrfd, FaceKind::kYuNet, FaceKind::kRetinaFace, FaceKind::kDbFace}) {
    const bool is_db_face = kind == FaceKind::kDbFace;
    for (const bool logits : {false, true}) {
      for (const auto& [width, height] : {std::pair{320, 320}, {330, 200}}) {
        FaceLayout layout{kind, width,  height,        kind == FaceKind::kYuNet || is_db_face ? 1 : 2,
                          5,    logits, {8, 16, 32, 0}};
        if (is_db_face) layout.strides = {4, 0, 0, 0};
        if (kind == FaceKind::kScrfd && logits) layout.points = 0;
        if (kind == FaceKind::kRetinaFace) layout.anchor_sizes = {{{16, 32}, {64, 128}, {256, 512}, {}}};
        std::array<FaceRows, kMostFaceLayers> layers;
        std::vector<float> all;
        std::array<FaceDecoder::Offsets, kMostFaceLayers> offsets{};
        size_t last = 0;
        for (size_t l = 0; l < layers.size() && layout.strides[l] > 0; ++l) {
          last = l;
          FaceRows& rows = layers[l];
          const auto count = static_cast<size_t>(layout.boxes_of(layout.strides[l]));
          const float low = logits ? -3 : 0, high = logits ? 1.5f : 1;
          for (size_t i = 0; i < count * static_cast<size_t>(layout.score_values()); ++i) {
            rows.score.push_back(uniform(low, high));
          }
          for (size_t i = 0; i < count; ++i) rows.other_score.push_back(uniform(low, high));
          for (size_t i = 0; i < 4 * count; ++i) rows.box.push_back(uniform(-0.3f, 2.5f));
          for (size_t i = 0; i < 10 * count; ++i)
            rows.points.push_back(is_db_face ? uniform(-0.8F, 0.8F) : uniform(-2, 2));
          rows.score[5] = std::nanf("");
          rows.box[40] = std::nanf("");
          const auto append = [&](const std::vector<float>& values) {
            const auto at = static_cast<int32_t>(all.size());
            all.insert(all.end(), values.begin(), values.end());
            return at;
          };
          offsets[l] = {append(rows.score), append(rows.other_score), append(rows.box), append(rows.points)};
        }
        const auto decoder =
            value_of(FaceDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
        const GlBuffer buffer = upload(all);
        const InputTransform place{{0.8f, 0.0f, 0.1f, 0.0f, 1.25f, -0.125f}};
        const SsdChoice choice{logits ? 0.6f : 0.7f, 0.4f, false, kMaxDetections};
        const GlState before = snapshot_gl_state(gl());
        ASSERT_TRUE(decoder->decode(whole(buffer, all), offsets, place, choice).ok());
        EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
        const std::vector<Detection> got = read_detections(gl(), decoder->detections());
        const std::vector<Detection> expected = reference_faces(layout, layers, place, choice);
        ASSERT_EQ(got.size(), expected.size());
        EXPECT_GT(got.size(), 20u);
        total += got.size();
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_NEAR(got[i].score, expected[i].score, 1e-5) << i;
          EXPECT_EQ(got[i].points_count, layout.points);
          for (size_t k = 0; k < 4; ++k) {
            const double of = k % 2 == 0 ? width : height;
            worst = std::max(worst, of * std::abs(double{got[i].box[k]} - expected[i].box[k]));
          }
          for (size_t k = 0; k < static_cast<size_t>(layout.points); ++k) {
            for (size_t axis = 0; axis < 2; ++axis) {
              const double of = axis == 0 ? width : height;
              worst = std::max(worst, of * std::abs(double{got[i].points[k][axis]} - expected[i].points[k][axis]));
            }
          }
        }
        offsets[last].points = static_cast<int32_t>(all.size());
        const Status beyond = decoder->decode(whole(buffer, all), offsets, place, choice);
        EXPECT_EQ(beyond.ok(), layout.points == 0) << "reads nothing beyond the outputs";
      }
    }
  }
  std::printf("%zu faces compared, off by %.5f pixels at most\n", total, worst);
  EXPECT_LE(worst, 0.05);
}

// The same boxes in the same order; `worst` becomes the largest distance of a side so far, in pixels of the input.
void expect_equal(const YoloLayout& layout, const std::vector<Detection>& got, const std::vector<Detection>& expected,
                  double& worst) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].row, expected[i].row) << i;
    EXPECT_EQ(got[i].class_id, expected[i].class_id) << i;
    EXPECT_NEAR(got[i].score, expected[i].score, 1e-5) << i;
    for (size_t k = 0; k < 4; ++k) {
      const double of = k % 2 == 0 ? layout.width : layout.height;
      worst = std::max(worst, of * std::abs(double{got[i].box[k]} - expected[i].box[k]));
    }
  }
}

TEST_F(HeadsTest, CentersDecodeAsOnTheCpu) {
  uint32_t state = 7;
  const auto uniform = [&state](float low, float high) {
    state = state * 1664525 + 1013904223;
    return low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24F;
  };
  size_t total = 0;
  double worst = 0;
  for (const bool logits : {false, true}) {
    for (const auto& [columns, lines, classes] : {std::array{128, 128, 3}, {40, 25, 1}, {33, 18, 80}}) {
      YoloLayout layout{columns * lines, classes, false, classes, false, false, 0, 4 * columns, 4 * lines};
      layout.grid_columns = columns;
      layout.centers = true;
      layout.logits = logits;
      CenterMaps maps;
      for (int32_t i = 0; i < layout.boxes * classes; ++i) {
        maps.scores.push_back(logits ? uniform(-6, 3) : std::pow(uniform(0, 1), 3.0F));
      }
      maps.scores[static_cast<size_t>(5 * classes)] = std::nanf("");
      for (int32_t i = 0; i < 2 * layout.boxes; ++i) {
        maps.sizes.push_back(uniform(0.5F, 12));
        maps.offsets.push_back(uniform(0, 1));
      }
      maps.sizes[20] = std::nanf("");
      std::vector<float> all = maps.offsets;
      const auto append = [&](const std::vector<float>& values) {
        const auto at = static_cast<int32_t>(all.size());
        all.insert(all.end(), values.begin(), values.end());
        return at;
      };
      const int32_t scores = append(maps.scores), sizes = append(maps.sizes);
      CenterOffsets first{scores, sizes, 0};
      const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
      const GlBuffer buffer = upload(all);
      const InputTransform place{{0.8F, 0.0F, 0.1F, 0.0F, 1.25F, -0.125F}};
      for (const int32_t most : {kMaxDetections, 9}) {
        const SsdChoice choice{0.6F, 0.4F, false, most};
        ASSERT_TRUE(decoder->decode(whole(buffer, all), place, choice, first).ok());
        const std::vector<Detection> got = read_detections(gl(), decoder->detections());
        const std::vector<Detection> expected = reference_centers(layout, maps, place, choice);
        total += got.size();
        ASSERT_NO_FATAL_FAILURE(expect_equal(layout, got, expected, worst));
      }
      first.sizes = static_cast<int32_t>(all.size()) - 1;
      EXPECT_FALSE(decoder->decode(whole(buffer, all), place, {}, first).ok()) << "reads nothing beyond the outputs";
    }
  }
  std::printf("%zu objects compared, off by %.5f pixels at most\n", total, worst);
  EXPECT_GT(total, 300U);
  EXPECT_LE(worst, 0.01);
}

// Grids with anchors (YOLO v2), also of odd sizes, with one class, with most anchors, with equal and with undefined
// scores.
TEST_F(HeadsTest, CellAnchorsDecodeAsOnTheCpu) {
  uint32_t state = 11;
  const auto uniform = [&state](float low, float high) {
    state = state * 1664525 + 1013904223;
    return low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24F;
  };
  size_t total = 0;
  double worst = 0;
  for (const auto& [columns, lines, anchors, classes] :
       {std::array{16, 16, 5, 1}, {13, 7, 5, 20}, {1, 1, 16, 3}, {40, 30, 1, 80}}) {
    YoloLayout layout{
        columns * lines * anchors, 5 + classes, false, classes, false, false, 0, 32 * columns, 32 * lines};
    layout.grid_columns = columns;
    layout.cell_anchors = anchors;
    for (int32_t i = 0; i < anchors; ++i) {
      layout.anchor_sizes[static_cast<size_t>(i)] = {uniform(0.02F, 0.4F), uniform(0.02F, 0.4F)};
    }
    const auto decoder = value_of(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), layout));
    for (const bool tied : {false, true}) {
      std::vector<float> output;
      for (int32_t box = 0; box < layout.boxes; ++box) {
        for (int32_t i = 0; i < 4; ++i) output.push_back(uniform(-3, 1.5F));
        output.push_back(tied ? std::round(uniform(-3, 3)) : uniform(-4, 4));
        for (int32_t c = 0; c < classes; ++c) output.push_back(!tied ? uniform(-4, 8) : c == classes / 2 ? 8 : 0);
      }
      output[4] = std::nanf("");                                           // of no object
      output[static_cast<size_t>(layout.values + 5)] = std::nanf("");      // a class
      output[static_cast<size_t>(2 * layout.values + 2)] = std::nanf("");  // a size
      const GlBuffer buffer = upload(output);
      const InputTransform place{{0.8F, 0.0F, 0.1F, 0.0F, 1.25F, -0.125F}};
      for (const int32_t most : {kMaxDetections, 6}) {
        const SsdChoice choice{0.45F, 0.4F, false, most};
        ASSERT_TRUE(decoder->decode(whole(buffer, output), place, choice).ok());
        const std::vector<Detection> got = read_detections(gl(), decoder->detections());
        const std::vector<Detection> expected = reference_cell_anchors(layout, output, place, choice);
        total += got.size();
        ASSERT_NO_FATAL_FAILURE(expect_equal(layout, got, expected, worst));
      }
    }
  }
  std::printf("%zu objects compared, boxes off by %.5f pixels at most\n", total, worst);
  EXPECT_GT(total, 100U);
  EXPECT_LE(worst, 0.05);
  YoloLayout wrong{16 * 16 * 5, 6, false, 1, false, false, 0, 256, 256};
  wrong.grid_columns = 16;
  wrong.cell_anchors = 17;
  EXPECT_FALSE(YoloDecoder::create(ShareGroup::create(gl(), nullptr, element_shaders()), wrong).ok());
}

}  // namespace
}  // namespace sightglass::test
