// Where the labels of boxes are: compares shaders/draw/label_places.glsl with a scalar reference, in crowds that move.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "class_color.h"
#include "detect/detections.h"
#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "harness/read_buffer.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "infer/shaders.h"

namespace sightglass::test {
namespace {

constexpr int32_t kFrameWidth = 1280, kFrameHeight = 720, kLine = 30;

struct Area {
  float left = 0, top = 0, right = 0, bottom = 0;
  bool is_empty() const { return !(right > left); }
  bool operator==(const Area&) const = default;
};
bool cover(const Area& a, const Area& b, float margin = 0) {
  return a.left - margin < b.right && a.top - margin < b.bottom && a.right + margin > b.left &&
         a.bottom + margin > b.top;
}

struct Crowd {
  std::vector<Detection> boxes;  // in fractions of the frame
  Detections found() const {
    Detections found;
    for (const Detection& box : boxes) found.detections[static_cast<size_t>(found.count++)] = box;
    return found;
  }
};
Area pixels_of(const Detection& detection) {
  return {detection.box[0] * kFrameWidth, detection.box[1] * kFrameHeight, detection.box[2] * kFrameWidth,
          detection.box[3] * kFrameHeight};
}

// The labels of one frame after another.
class ScalarPlaces {
 public:
  explicit ScalarPlaces(std::vector<TextPlace> texts) : texts_(std::move(texts)) {}

  // One area per detection; empty if its label is not shown.
  std::vector<Area> place(const std::vector<Detection>& boxes, bool tracked) {
    struct Turn {
      size_t previous, n;
    };
    std::vector<Turn> turns;
    for (size_t n = 0; n < boxes.size(); ++n) turns.push_back({previous_of(boxes[n], tracked), n});
    std::ranges::stable_sort(turns, {}, &Turn::previous);
    std::vector<Placed> next;
    std::vector<Area> shown(boxes.size());
    for (const auto& [previous, n] : turns) {
      const Area box = pixels_of(boxes[n]);
      const float width = width_of(boxes[n], tracked);
      const int before = previous == kNone ? 0 : placed_[previous].place < 0 ? 8 : placed_[previous].place;
      int chosen = -1;
      for (int place = 0; place < 8 && chosen < 0; ++place) {
        const std::optional<Area> area = area_at(place, box, width);
        if (!area) continue;
        const float margin = place < before ? 0.5F * kLine : 0;
        const auto blocks = [&](const Placed& other) {
          return !other.area.is_empty() && cover(*area, other.area, margin);
        };
        if (std::ranges::none_of(next, blocks)) chosen = place;
      }
      if (chosen >= 0) shown[n] = *area_at(chosen, box, width);
      next.push_back({box, tracked ? boxes[n].id : 0, boxes[n].class_id, chosen, shown[n]});
    }
    placed_ = std::move(next);
    return shown;
  }
  std::vector<int> places() const {
    std::vector<int> all;
    for (const Placed& placed : placed_) all.push_back(placed.place);
    return all;
  }

 private:
  static constexpr size_t kNone = kMaxDetections;
  struct Placed {
    Area box;
    int id, class_id, place;
    Area area;
  };
  static float overlap(const Area& a, const Area& b) {
    const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0F);
    const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0F);
    const float common = width * height;
    const float whole = (a.right - a.left) * (a.bottom - a.top) + (b.right - b.left) * (b.bottom - b.top) - common;
    return whole > 0 ? common / whole : 0;
  }
  size_t previous_of(const Detection& detection, bool tracked) const {
    size_t found = kNone;
    float most = 0.3F;
    for (size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i].id != (tracked ? detection.id : 0) || placed_[i].class_id != detection.class_id) continue;
      const float same = tracked ? 1 : overlap(pixels_of(detection), placed_[i].box);
      if (same <= most) continue;
      most = same;
      found = i;
    }
    return found;
  }
  float width_of(const Detection& detection, bool tracked) const {
    const float margin = std::round(0.25F * kLine);
    const auto width = [&](int32_t text) { return static_cast<float>(texts_[static_cast<size_t>(text)].width); };
    float all = 2 * margin + width(kFirstClass + detection.class_id) + margin +
                width(static_cast<int32_t>(std::lround(detection.score * 100)));
    if (!tracked) return all;
    for (const char digit : std::to_string(detection.id)) all += width(kFirstDigit + (digit - '0'));
    return all + width(kNumberSign) + margin;
  }
  static std::optional<Area> area_at(int place, const Area& box, float width) {
    const float radius = static_cast<float>(kLine) / 16;
    float x = place < 4 ? box.left - radius : box.right + radius - width;
    x = std::max(std::min(x, kFrameWidth - width), 0.0F);
    const float rows[] = {box.top - radius - kLine, std::max(box.top + radius, 0.0F), box.bottom + radius,
                          std::min<float>(box.bottom - radius, kFrameHeight) - kLine};
    const float y = rows[place % 4];
    if (!(y >= 0 && y + kLine <= kFrameHeight)) return std::nullopt;
    if (place % 2 == 1 && (y >= box.bottom || y + kLine <= box.top)) return std::nullopt;
    return Area{std::round(x), std::round(y), std::round(x) + width, std::round(y) + kLine};
  }

  std::vector<TextPlace> texts_;
  std::vector<Placed> placed_;
};

class LabelPlacesTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    group_ = ShareGroup::create(gl(), nullptr, element_shaders());
    table_.emplace(gl(), std::vector<std::string>{"person", "bicycle", "traffic light"});
    table_->set_height(kLine);
    start(false);
  }
  void TearDown() override {
    program_ = {};
    labels_.reset();
    primitives_.reset();
    block_.reset();
    table_.reset();
    group_.reset();
    GlTest::TearDown();
  }
  void start(bool tracked) {
    const ProgramKey keys[] = {{tracked ? kDrawTracksShader : kDrawDetectionsShader}};
    program_ = std::move(value_of(group_->programs(keys))[0]);
    of_each_ = kLabelledBox + kMaxDetectionPoints + (tracked ? kNumberTexts : 0);
    labels_.emplace(gl());
    primitives_.emplace(gl(), kMaxDetections * of_each_);
    block_.emplace(gl());
  }
  std::vector<TextPlace> texts() {
    BufferRange range = table_->block();
    return read_buffer<TextPlace>(gl(), {range.buffer, range.offset + 16, range.size - 16});
  }
  // The plates of the labels by detection.
  std::vector<Area> shown(const Crowd& crowd) {
    draw(crowd);
    const std::vector<Primitive> all = read_buffer<Primitive>(gl(), primitives_->storage());
    std::vector<Area> areas;
    for (size_t n = 0; n < crowd.boxes.size(); ++n) {
      const Primitive& plate = all[kMaxDetections + n];
      const bool is_there = plate.kind == PrimitiveKind::kRectangle;
      areas.push_back(is_there ? Area{plate.ends[0], plate.ends[1], plate.ends[2], plate.ends[3]} : Area{});
      for (const size_t part : {2, 3}) {  // its texts
        EXPECT_EQ(all[part * kMaxDetections + n].kind == PrimitiveKind::kText, is_there) << n;
      }
    }
    return areas;
  }
  PrimitiveRange draw(const Crowd& crowd) {
    const Detections found = crowd.found();
    const GlBuffer buffer = make_storage(gl(), sizeof(found), &found);
    Block block;
    block.picture = {kFrameWidth, kFrameHeight, 3, 0};
    block.counts = {kMaxDetections, 0, 0, 0};
    Pass pass(gl());
    pass.uniforms(kParamsBinding, *block_, block);
    pass.storage({{buffer.id(), 0, sizeof(found)}, primitives_->storage(), table_->block(), labels_->block()});
    pass.dispatch(program_->id());
    PrimitiveRange range = primitives_->range();
    range.text = table_->texture();
    return range;
  }

  struct Block {
    std::array<float, 4> picture{};
    std::array<int32_t, 4> counts{};
    bool operator==(const Block&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;
  std::optional<LabelTable> table_;
  SharedProgram program_;
  GLsizei of_each_ = 0;
  std::optional<LabelPlaces> labels_;
  std::optional<PrimitiveBuffer> primitives_;
  std::optional<UniformBlock<Block>> block_;
};

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  float next(float least, float most) {
    state_ = state_ * 1664525U + 1013904223U;
    return least + (most - least) * static_cast<float>(state_ >> 8U) / 16777216.0F;
  }

 private:
  uint32_t state_;
};

// People in rows, best first, the rear ones smaller.
Crowd crowd_of(size_t count, Random& random) {
  Crowd crowd;
  for (size_t n = 0; n < count; ++n) {
    const float depth = random.next(0, 1), height = 0.15F + 0.35F * depth, width = 0.5F * height * 720 / 1280;
    const float x = random.next(-0.02F, 1), y = 0.15F + 0.5F * depth + random.next(-0.1F, 0.1F);
    Detection box;
    box.box = {x, y - 0.5F * height, x + width, y + 0.5F * height};
    box.score = 0.98F - 0.005F * static_cast<float>(n);
    box.class_id = random.next(0, 1) < 0.8F ? 0 : static_cast<int32_t>(random.next(1, 2.99F));
    box.id = static_cast<int32_t>(n) + 1;
    crowd.boxes.push_back(box);
  }
  return crowd;
}

void move(Crowd& crowd, Random& random, float pixels) {
  for (Detection& box : crowd.boxes) {
    const float dx = random.next(-pixels, pixels) / kFrameWidth, dy = random.next(-pixels, pixels) / kFrameHeight;
    for (size_t i = 0; i < 4; ++i) box.box[i] += i % 2 == 0 ? dx : dy;
    box.score = std::clamp(box.score + random.next(-0.02F, 0.02F), 0.1F, 1.0F);
  }
  std::ranges::stable_sort(crowd.boxes, std::greater(), &Detection::score);
}

TEST_F(LabelPlacesTest, CrowdsHaveLabelsAsInTheReference) {
  Random random(11);
  for (const bool tracked : {false, true}) {
    size_t labels = 0, hidden = 0;
    for (const size_t count : {1, 2, 5, 12, 30, 63, 64, 65, 100}) {
      start(tracked);
      ScalarPlaces reference(texts());
      Crowd crowd = crowd_of(count, random);
      for (int frame = 0; frame < 8; ++frame) {
        const std::vector<Area> areas = shown(crowd), expected = reference.place(crowd.boxes, tracked);
        for (size_t n = 0; n < count; ++n) {
          EXPECT_EQ(areas[n], expected[n])
              << count << " boxes, frame " << frame << ", box " << n << ": " << areas[n].left << ", " << areas[n].top
              << " instead of " << expected[n].left << ", " << expected[n].top;
          EXPECT_TRUE(count > 12 || !areas[n].is_empty()) << "there is room";
          hidden += areas[n].is_empty() ? 1 : 0;
          if (areas[n].is_empty()) continue;
          ++labels;
          EXPECT_TRUE(areas[n].left >= 0 && areas[n].top >= 0 && areas[n].right <= kFrameWidth &&
                      areas[n].bottom <= kFrameHeight);
          for (size_t i = 0; i < n; ++i) EXPECT_FALSE(!areas[i].is_empty() && cover(areas[i], areas[n])) << i << n;
        }
        move(crowd, random, 6);
        // Somebody leaves, and somebody comes.
        if (frame % 3 == 1) {
          crowd.boxes.erase(crowd.boxes.begin() + static_cast<std::ptrdiff_t>(count / 2));
          crowd.boxes.push_back(crowd_of(1, random).boxes[0]);
          crowd.boxes.back().id = 1000 + frame;
          crowd.boxes.back().score = 0.1F;
        }
      }
    }
    std::printf("%s: %zu labels, none covers another; %zu are not shown\n", tracked ? "tracked" : "by class", labels,
                hidden);
    EXPECT_GT(labels, 1500U);
    EXPECT_LT(hidden, labels) << "of up to 100 boxes";
  }
}

// Boxes tremble, and their scores change order.
TEST_F(LabelPlacesTest, LabelsStayWhereTheyAre) {
  for (const bool tracked : {false, true}) {
    std::array<size_t, 2> changes{};
    for (const bool keeps : {true, false}) {
      Random random(5);
      start(tracked);
      Crowd crowd = crowd_of(20, random);
      std::vector<std::array<float, 3>> before(21);  // by ID: from the box to the label; whether it is shown
      for (int frame = 0; frame < 60; ++frame) {
        const Crowd now = crowd;
        if (!keeps) labels_.emplace(gl());
        const std::vector<Area> areas = shown(now);
        for (size_t n = 0; n < now.boxes.size(); ++n) {
          const Area box = pixels_of(now.boxes[n]);
          std::array<float, 3>& last = before[static_cast<size_t>(now.boxes[n].id)];
          const std::array<float, 3> next{areas[n].left - box.left, areas[n].top - box.top,
                                          areas[n].is_empty() ? 0.F : 1.F};
          const bool moved = last[2] != next[2] || (next[2] > 0 && std::abs(last[1] - next[1]) > 10);
          changes[keeps ? 0 : 1] += frame > 0 && moved ? 1 : 0;
          last = next;
        }
        move(crowd, random, 0.8F);
      }
    }
    std::printf("%s: 20 labels in 60 frames change their place %zu times, without those of the last frame %zu times\n",
                tracked ? "tracked" : "by class", changes[0], changes[1]);
    EXPECT_LE(changes[0], 12U);
    EXPECT_GE(changes[1], 5 * changes[0]);
  }
}

TEST_F(LabelPlacesTest, BoxesWithoutASensiblePlace) {
  const auto box = [](float left, float top, float right, float bottom) {
    Detection detection;
    detection.box = {left, top, right, bottom};
    detection.score = 0.5F;
    return detection;
  };
  const float nan = std::nanf("");
  Crowd crowd{{box(0, 0, 1, 1), box(0.4F, -0.2F, 0.6F, 1.2F), box(0.2F, 2, 0.3F, 3), box(0.2F, -3, 0.3F, -2),
               box(nan, nan, nan, nan), box(0.1F, 0.5F, INFINITY, INFINITY), box(0.7F, 0.5F, 0.7F, 0.5F)}};
  for (int frame = 0; frame < 3; ++frame) {
    const std::vector<Area> areas = shown(crowd);
    EXPECT_EQ(areas[0].top, 2) << "inside";
    EXPECT_FALSE(areas[1].is_empty());
    EXPECT_EQ(areas[1].top, 0);
    EXPECT_TRUE(areas[2].is_empty()) << "below the frame";
    EXPECT_TRUE(areas[3].is_empty()) << "above the frame";
    EXPECT_TRUE(areas[4].is_empty());
    EXPECT_FALSE(areas[5].is_empty());
    EXPECT_FALSE(areas[6].is_empty());
  }
  // Nobody is left.
  EXPECT_TRUE(shown({}).empty());
}

// With SIGHTGLASS_PICTURES set to a folder, writes an image of a crowd there.
TEST_F(LabelPlacesTest, OutlinesAreUnderLabels) {
  Random random(3);
  const Crowd crowd = crowd_of(40, random);
  const PrimitiveRange range = draw(crowd);
  const auto painter = value_of(OverlayPainter::create(group_));
  const Rgba gray = painted(kFrameWidth, kFrameHeight, [](int32_t x, int32_t y) {
    return std::array<int, 3>{80 + x / 32, 90 + y / 16, 100};
  });
  const GlTexture texture = upload(gl(), gray);
  const PrimitiveRange ranges[] = {range};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) draw(crowd);
  gl().Finish();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  std::printf("placing and laying out the labels of 40 boxes: %.2f ms\n", time.count() / 20);
  ASSERT_TRUE(painter->draw({texture.id(), GL_TEXTURE_2D, gray.width, gray.height}, ranges).ok());
  const Rgba picture = download(gl(), texture.id(), gray.width, gray.height);
  if (const char* folder = std::getenv("SIGHTGLASS_PICTURES"); folder != nullptr) {
    EXPECT_TRUE(save_png(picture, std::string(folder) + "/crowd.png"));
  }
  // The corners of the plates have their color, whatever outlines cross them.
  const std::vector<Area> areas = shown(crowd);
  for (size_t n = 0; n < areas.size(); ++n) {
    if (areas[n].is_empty()) continue;
    const auto color = class_color(crowd.boxes[n].class_id);
    const uint8_t* pixel = picture.at(static_cast<int32_t>(areas[n].right) - 4, static_cast<int32_t>(areas[n].top) + 4);
    for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(pixel[c], 255 * color[c], 3) << n;
  }
}

}  // namespace
}  // namespace sightglass::test
