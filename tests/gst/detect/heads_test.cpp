// Heads with distributions, and face detectors of several outputs, against plain decoders on the CPU.
#include <algorithm>
#include <array>
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
  for (const FaceKind kind : {FaceKind::kScrfd, FaceKind::kYuNet, FaceKind::kRetinaFace}) {
    for (const bool logits : {false, true}) {
      for (const auto& [width, height] : {std::pair{320, 320}, {330, 200}}) {
        FaceLayout layout{kind, width, height, kind == FaceKind::kYuNet ? 1 : 2, 5, logits, {8, 16, 32, 0}};
        if (kind == FaceKind::kScrfd && logits) layout.points = 0;
        if (kind == FaceKind::kRetinaFace) layout.anchor_sizes = {{{16, 32}, {64, 128}, {256, 512}, {}}};
        std::array<FaceRows, kMostFaceLayers> layers;
        std::vector<float> all;
        std::array<FaceDecoder::Offsets, kMostFaceLayers> offsets{};
        for (size_t l = 0; l < 3; ++l) {
          FaceRows& rows = layers[l];
          const auto count = static_cast<size_t>(layout.boxes_of(layout.strides[l]));
          const float low = logits ? -3 : 0, high = logits ? 1.5f : 1;
          for (size_t i = 0; i < count * static_cast<size_t>(layout.score_values()); ++i) {
            rows.score.push_back(uniform(low, high));
          }
          for (size_t i = 0; i < count; ++i) rows.other_score.push_back(uniform(low, high));
          for (size_t i = 0; i < 4 * count; ++i) rows.box.push_back(uniform(-0.3f, 2.5f));
          for (size_t i = 0; i < 10 * count; ++i) rows.points.push_back(uniform(-2, 2));
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
        offsets[2].points = static_cast<int32_t>(all.size());
        const Status beyond = decoder->decode(whole(buffer, all), offsets, place, choice);
        EXPECT_EQ(beyond.ok(), layout.points == 0) << "reads nothing beyond the outputs";
      }
    }
  }
  std::printf("%zu faces compared, off by %.5f pixels at most\n", total, worst);
  EXPECT_LE(worst, 0.05);
}

}  // namespace
}  // namespace sightglass::test
