// People in masks, and the camera that follows them, compared with scalar references. Which parts of frames the model
// sees, if its masks are made up.
#include "segment/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "camera_reference.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "harness/read_buffer.h"
#include "segment/people.h"
#include "segment/region.h"

namespace sightglass::test {
namespace {

class CameraTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    group_ = ShareGroup::create(gl(), nullptr, element_shaders());
    auto camera = Camera::create(group_, FrameKind::kRgba);
    ASSERT_TRUE(camera.ok()) << camera.status().message();
    camera_.emplace(std::move(camera).value());
  }
  void TearDown() override {
    people_.reset();
    camera_.reset();
    group_.reset();
    GlTest::TearDown();
  }

  void make_people(int width, int height) {
    people_.reset();
    auto people = PeopleFinder::create(group_, width, height);
    ASSERT_TRUE(people.ok()) << people.status().message();
    people_.emplace(std::move(people).value());
  }
  std::vector<float> read(const BufferRange& range, size_t floats) const {
    return read_buffer<float>(gl(), {range.buffer, range.offset, static_cast<GLsizeiptr>(floats * sizeof(float))});
  }
  // The mask without other people.
  Rgba find(const Drawing& mask, double seconds = kFrame) {
    const GlTexture texture = upload_mask(gl(), mask.width, mask.height, mask.values);
    const TextureRef ref{texture.id(), GL_TEXTURE_2D, mask.width, mask.height};
    people_->find(ref, {0, 0, 1, 1}, static_cast<float>(seconds), {});
    return download(gl(), people_->main_person(ref).id, mask.width, mask.height);
  }
  Box move(const CameraReference::Scene& scene, const std::vector<Box>& boxes, double seconds = kFrame) {
    SeenPeople seen{Sight::kObjects, {}, {}, {}};
    for (const Box& box : boxes) {
      seen.boxes.push_back({static_cast<float>(box[0]), static_cast<float>(box[1]), static_cast<float>(box[2]),
                            static_cast<float>(box[3])});
    }
    const CameraStyle style{scene.follow, static_cast<float>(scene.max_zoom), static_cast<float>(scene.margin),
                            static_cast<float>(scene.speed)};
    FrameRef nothing;
    nothing.width = nothing.height = 1;
    camera_->move(style, seen, static_cast<float>(scene.frame_aspect), static_cast<float>(scene.output_aspect),
                  static_cast<float>(seconds), nothing, {}, {});
    const std::vector<float> state = read(camera_->state(), 4);
    return {state[0], state[1], state[2], state[3]};
  }

  std::shared_ptr<ShareGroup> group_;
  std::optional<Camera> camera_;
  std::optional<PeopleFinder> people_;
};

double difference(const Box& a, const Box& b) {
  double most = 0;
  for (size_t i = 0; i < 4; ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class PeopleTest : public CameraTest {
 protected:
  // The share of foreground of `person` that is kept, and of `other` without `person`.
  struct Kept {
    double person = 0, other = 0;
  };
  static Kept kept(const Rgba& mask, const Drawing& person, const Drawing& other) {
    double own = 0, own_kept = 0, others = 0, others_kept = 0;
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) {
        const double value = mask.at(x, y)[0] / 255.0 / Drawing::kSure;
        if (person.at(x, y) > 0.5F) {
          own += 1;
          own_kept += value;
        } else if (other.at(x, y) > 0.5F) {
          others += 1;
          others_kept += value;
        }
      }
    }
    return {own > 0 ? own_kept / own : 1, others > 0 ? others_kept / others : 0};
  }
  static Drawing both(const Drawing& a, const Drawing& b) {
    Drawing mask = a;
    for (size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = std::max(mask.values[i], b.values[i]);
    return mask;
  }
  static Drawing person(int width, int height, double x, double y, double size) {
    Drawing mask(width, height);
    mask.draw(x, y, size);
    return mask;
  }
};

TEST_F(PeopleTest, MatchesTheReference) {
  std::minstd_rand random(7);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  int frames = 0, different_cells = 0;
  double most = 0;
  for (const auto& [width, height] : {std::pair{160, 90}, {256, 256}, {37, 61}, {7, 5}, {16, 16}, {144, 256}}) {
    make_people(width, height);
    PeopleReference reference(width, height);
    for (int scene = 0; scene < 3; ++scene) {
      people_->reset();
      reference.reset();
      struct Walker {
        double x, y, size, dx, dy;
      };
      std::vector<Walker> walkers;
      for (int i = 0; i < 2 + scene; ++i) {
        walkers.push_back({number(0, width), number(0.4, 0.8) * height, number(0.3, 0.9) * height,
                           number(-0.02, 0.02) * width, number(-0.01, 0.01) * height});
      }
      for (int i = 0; i < 24; ++i, ++frames) {
        Drawing mask(width, height);
        for (Walker& w : walkers) {
          w.x += w.dx;
          w.y += w.dy;
          if (i % 13 != 12) mask.draw(w.x, w.y, w.size);
        }
        find(mask, kUneven);
        reference.find(mask, kUneven);
        const std::vector<float> boxes = read(people_->people(), 8);
        most = std::max(most, difference({boxes[0], boxes[1], boxes[2], boxes[3]}, reference.main));
        most = std::max(most, difference({boxes[4], boxes[5], boxes[6], boxes[7]}, reference.group));
        const TextureRef cells = people_->cells();
        const Rgba keeps = download(gl(), cells.id, cells.width, cells.height);
        for (size_t n = 0; n < reference.keeps.size(); ++n) {
          different_cells += (keeps.pixels[4 * n] == 255) != reference.keeps[n];
        }
      }
    }
  }
  std::printf("%d masks: boxes differ by at most %.1e, %d cells differ\n", frames, most, different_cells);
  EXPECT_LT(most, 1e-5);
  EXPECT_EQ(different_cells, 0);
}

TEST_F(PeopleTest, ChangesNothingForOnePerson) {
  make_people(160, 90);
  const Drawing one = person(160, 90, 70, 50, 70);
  for (int i = 0; i < 3; ++i) {
    const Rgba mask = find(one);
    for (int y = 0; y < 90; ++y) {
      for (int x = 0; x < 160; ++x) {
        EXPECT_EQ(mask.at(x, y)[0], std::lround(255 * static_cast<double>(one.at(x, y)))) << x << " " << y;
      }
    }
  }
}

// With a gap of less than a cell, wherever it is.
TEST_F(PeopleTest, PartsPeopleWhoStandSideBySide) {
  make_people(256, 144);
  double least = 1, most = 0;
  for (double x = 90; x < 98; x += 1) {
    people_->reset();
    const Drawing main = person(256, 144, x, 80, 120), other = person(256, 144, x + 2 * 0.16 * 120 + 5, 80, 120);
    const Kept result = kept(find(both(main, other)), other, main);
    least = std::min(least, result.person);
    most = std::max(most, result.other);
  }
  std::printf("at least %.1f %% of the more central one, at most %.1f %% of the other one\n", 100 * least, 100 * most);
  EXPECT_GT(least, 0.97);
  EXPECT_LT(most, 0.06);
}

// Somebody walks past behind the main person, who sits still.
TEST_F(PeopleTest, RemovesAPasserBy) {
  make_people(256, 144);
  const Drawing main = person(256, 144, 128, 90, 120);
  double least = 1, apart = 0, touching = 0;
  int frames = 0, shown = 0;
  for (double x = 270; x > -20; x -= 3, ++frames) {
    const Drawing other = person(256, 144, x, 70, 80);
    const Kept result = kept(find(both(main, other)), main, other);
    least = std::min(least, result.person);
    const bool is_apart = std::abs(x - 128) > 45;
    (is_apart ? apart : touching) = std::max(is_apart ? apart : touching, result.other);
    shown += result.other > 0.3;
  }
  std::printf(
      "%d frames: at least %.1f %% of the main person, at most %.2f %% of a passer-by apart, %.1f %% of one "
      "who touches, more than 30 %% in %d frames\n",
      frames, 100 * least, 100 * apart, 100 * touching, shown);
  EXPECT_GT(least, 0.93);
  EXPECT_LT(apart, 0.02);
}

// The main person walks past another one.
TEST_F(PeopleTest, StaysWithAPersonWhoWalks) {
  make_people(256, 144);
  const Drawing other = person(256, 144, 160, 80, 90);
  double least = 1;
  Kept last;
  for (double x = 60; x < 230; x += 2) {
    const Drawing main = person(256, 144, x, 85, 110);
    last = kept(find(x < 100 ? main : both(main, other)), main, other);
    least = std::min(least, last.person);
  }
  std::printf("at least %.1f %% of the main person; at the end %.1f %%, and %.1f %% of the other one\n", 100 * least,
              100 * last.person, 100 * last.other);
  EXPECT_GT(least, 0.8);
  EXPECT_GT(last.person, 0.98);
  EXPECT_LT(last.other, 0.02);
}

// The main person gets up and leaves while somebody else stands beside it.
TEST_F(PeopleTest, FollowsAPersonWhoGetsUpBesideAnother) {
  make_people(256, 144);
  const Drawing other = person(256, 144, 170, 80, 90);
  double least = 1, sum = 0;
  int frames = 0;
  for (int i = 0; i < 75; ++i, ++frames) {
    const Drawing main = person(256, 144, 130 - std::max(0, i - 30) * 2.0, 85, 110);
    const Kept result = kept(find(both(main, other)), main, other);
    least = std::min(least, result.person);
    sum += result.person;
  }
  std::printf("at least %.1f %% of the main person, %.1f %% on average\n", 100 * least, 100 * sum / frames);
  EXPECT_GT(least, 0.7);
}

TEST_F(PeopleTest, ChoosesTheLargestMostCentralAndWaitsBeforeItChoosesAgain) {
  make_people(256, 144);
  const Drawing small = person(256, 144, 40, 80, 70), large = person(256, 144, 140, 80, 110);
  const Kept first = kept(find(both(small, large)), large, small);
  EXPECT_GT(first.person, 0.98);
  EXPECT_LT(first.other, 0.02);
  // Hidden for a moment, and back.
  for (int i = 0; i < 20; ++i) EXPECT_LT(kept(find(small), small, small).person, 0.02) << i;
  EXPECT_GT(kept(find(both(small, large)), large, small).person, 0.98);
  // Gone.
  int frames = 0;
  while (frames < 90 && kept(find(small), small, small).person < 0.9) ++frames;
  std::printf("another person after %d frames\n", frames);
  EXPECT_GE(frames, 29);
  EXPECT_LE(frames, 33);
  // A cut: at once.
  people_->reset();
  EXPECT_GT(kept(find(both(small, large)), large, small).person, 0.98);
}

TEST_F(CameraTest, MatchesTheReference) {
  std::minstd_rand random(3);
  std::normal_distribution<double> normal(0, 1);
  double most = 0;
  int frames = 0;
  for (const Follow follow : {Follow::kPerson, Follow::kGroup, Follow::kNone}) {
    for (const double output : {16.0 / 9, 1.0, 9.0 / 16, 3.0}) {
      const CameraReference::Scene scene{follow, 16.0 / 9, output, 2.5 + output, 0.05 * output, 0.5 + output};
      CameraReference reference;
      camera_->reset();
      std::array<Box, 2> people{{{0.3, 0.2, 0.5, 0.9}, {0.7, 0.3, 0.8, 0.8}}};
      std::array<double, 2> speeds{0.1, -0.05};
      for (int i = 0; i < 300; ++i, ++frames) {
        std::vector<Box> boxes;
        for (size_t n = 0; n < 2; ++n) {
          if (random() % 60 == 0) speeds[n] = 0.2 * normal(random);
          for (size_t side = 0; side < 4; ++side) {
            people[n][side] += (side % 2 == 0 ? speeds[n] * kFrame : 0) + 0.002 * normal(random);
          }
          if (i % 100 < 60 || n == 0) boxes.push_back(people[n]);
        }
        if (i > 220) boxes.clear();
        const double seconds = i % 7 == 0 ? 0.0973 : kUneven;
        const Box part = move(scene, boxes, seconds);
        reference.move(scene, boxes, seconds);
        most = std::max(most, difference(part, reference.part));
      }
    }
  }
  std::printf("%d moves: views differ by at most %.1e\n", frames, most);
  EXPECT_LT(most, 2e-3);
}

// What an operator would do, in heights of the view and seconds.
struct Motion {
  double speed = 0, acceleration = 0, jerk = 0;
};
Motion motion_of(const std::vector<Box>& parts, double aspect, double seconds) {
  Motion most;
  std::vector<std::array<double, 3>> views;
  for (const Box& part : parts) {
    const double height = part[3] - part[1];
    views.push_back({(part[0] + part[2]) / 2 * aspect, (part[1] + part[3]) / 2, height});
  }
  const auto along = [&](size_t i, int order, size_t axis) {
    const auto v = [&](size_t n) { return views[n][axis]; };
    if (order == 1) return (v(i + 1) - v(i)) / seconds;
    if (order == 2) return (v(i + 2) - 2 * v(i + 1) + v(i)) / seconds / seconds;
    return (v(i + 3) - 3 * v(i + 2) + 3 * v(i + 1) - v(i)) / std::pow(seconds, 3);
  };
  for (size_t i = 0; i + 3 < views.size(); ++i) {
    const auto size = [&](int order) { return std::hypot(along(i, order, 0), along(i, order, 1)) / views[i][2]; };
    most.speed = std::max(most.speed, size(1));
    most.acceleration = std::max(most.acceleration, size(2));
    most.jerk = std::max(most.jerk, size(3));
  }
  return most;
}

TEST_F(CameraTest, MovesSoftlyAndArrivesWithoutOvershoot) {
  const CameraReference::Scene scene;
  const Box left{0.1, 0.3, 0.25, 0.9}, right{0.75, 0.3, 0.9, 0.9};
  std::vector<Box> parts;
  for (int i = 0; i < 30; ++i) parts.push_back(move(scene, {left}));
  EXPECT_LT(difference(parts.front(), parts.back()), 1e-6) << "it begins where people are, and rests";
  // Of another person, who is in view once the first is gone.
  double time = 0, overshoot = 0;
  for (int i = 0; i < 150; ++i) {
    parts.push_back(move({.follow = Follow::kGroup}, {right}));
    if (parts.back()[2] < 0.999 * std::min(1.0, parts[30][2] + 0.65)) time = (i + 1) * kFrame;
  }
  const Box end = parts.back();
  for (size_t i = 30; i < parts.size(); ++i) overshoot = std::max(overshoot, parts[i][0] - end[0]);
  const Motion motion = motion_of(parts, scene.frame_aspect, kFrame);
  std::printf("a pan over %.2f of the frame: %.2f s, overshoot %.4f; at most %.2f heights/s, %.2f /s^2, %.1f /s^3\n",
              end[0] - parts.front()[0], time, overshoot, motion.speed, motion.acceleration, motion.jerk);
  EXPECT_LE(end[0], right[0]);
  EXPECT_GE(end[2], right[2]);
  EXPECT_LT(overshoot, 1e-4);
  EXPECT_LT(motion.speed, 1.05 * kCameraFastest);
  EXPECT_LT(motion.acceleration, 6);
  const double twice = 2 * kCameraRate;
  EXPECT_LT(motion.jerk, 3 * kCameraFastest * twice * twice);
}

TEST_F(CameraTest, RestsWhilePeopleStayAboutWhereTheyAre) {
  std::minstd_rand random(5);
  std::normal_distribution<double> normal(0, 1);
  const CameraReference::Scene scene;
  Box first{}, last{};
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    // Breathing, gestures, and the noise of a detector.
    const double sway = 0.015 * std::sin(i / 20.0);
    Box box{0.4 + sway, 0.3, 0.55 + sway, 1};
    for (double& side : box) side += 0.003 * normal(random);
    last = move(scene, {box});
    if (i == 0) first = last;
    most = std::max(most, difference(first, last));
  }
  std::printf("20 s of swaying by 1.5 %% of the frame: the view moves by at most %.4f\n", most);
  EXPECT_LT(most, 1e-6);
}

TEST_F(CameraTest, GoesBackToTheWholeFrameWithoutPeople) {
  const CameraReference::Scene scene;
  for (int i = 0; i < 10; ++i) move(scene, {{0.1, 0.3, 0.25, 0.9}});
  const Box before = move(scene, {});
  EXPECT_GT(before[2] - before[0], 0.3);
  EXPECT_LT(before[2] - before[0], 0.9);
  Box part = before;
  int rests = 0, frames = 0;
  for (; frames < 300 && difference(part, {0, 0, 1, 1}) > 1e-3; ++frames) {
    part = move(scene, {});
    rests += difference(part, before) < 1e-6;
  }
  std::printf("rests for %d frames, and shows the whole frame after %d\n", rests, frames);
  EXPECT_GE(rests, 27);
  EXPECT_LE(rests, 34);
  EXPECT_LT(frames, 150);
}

// The same walk at several frame rates: the same view at the same time.
TEST_F(CameraTest, IsTheSameAtEveryFrameRate) {
  std::vector<Box> ends;
  for (const int rate : {15, 30, 60, 120}) {
    camera_->reset();
    Box part{};
    for (int i = 0; i <= 3 * rate; ++i) {
      const double x = 0.1 + 0.2 * std::min(static_cast<double>(i) / rate, 2.0);
      part = move({}, {{x, 0.3, x + 0.15, 0.9}}, i == 0 ? 0 : 1.0 / rate);
    }
    ends.push_back(part);
    std::printf("%d frames per second: %.4f to %.4f\n", rate, part[0], part[2]);
  }
  for (const Box& end : ends) EXPECT_LT(difference(end, ends.back()), 0.02);
}

TEST_F(CameraTest, DrawsTheFrameBitForBitWithoutZoom) {
  std::minstd_rand random(1);
  const Rgba frame = painted(61, 47, [&](int32_t, int32_t) {
    return std::array{random() % 256, random() % 256, random() % 256};
  });
  const GlTexture texture = upload(gl(), frame), output = make_texture(gl(), GL_RGBA8, 61, 47);
  const FrameRef ref{TextureRef{texture.id(), GL_TEXTURE_2D, 61, 47}};
  camera_->move({.follow = Follow::kNone}, {}, 61.0F / 47, 61.0F / 47, 0, ref, {}, {});
  ASSERT_TRUE(camera_->draw(ref, {output.id(), GL_TEXTURE_2D, 61, 47}).ok());
  const Rgba drawn = download(gl(), output.id(), 61, 47);
  int most = 0;
  for (size_t i = 0; i < frame.pixels.size(); ++i) most = std::max(most, std::abs(frame.pixels[i] - drawn.pixels[i]));
  EXPECT_EQ(most, 0);
}

// Every pixel against Catmull-Rom in double precision, enlarged and reduced.
TEST_F(CameraTest, FiltersAsTheReference) {
  constexpr int kSide = 48;
  std::minstd_rand random(2);
  const Rgba frame = painted(kSide, kSide, [&](int32_t x, int32_t y) {
    return std::array{static_cast<int>(random() % 60) + 3 * x, 4 * y, (x / 4 + y / 4) % 2 * 200 + 20};
  });
  const auto weight = [](double x) {
    x = std::abs(x);
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((2.5 - 0.5 * x) * x - 4) * x + 2 : 0;
  };
  const GlTexture texture = upload(gl(), frame);
  const FrameRef ref{TextureRef{texture.id(), GL_TEXTURE_2D, kSide, kSide}};
  for (const int side : {96, 31, 20}) {
    camera_->reset();
    const Box part = move({Follow::kPerson, 1, 1, 2.5, 0.1, 1}, {{0.3, 0.25, 0.7, 0.8}});
    camera_->reset();
    camera_->move({.follow = Follow::kPerson, .max_zoom = 2.5F, .margin = 0.1F},
                  {Sight::kObjects, {}, {}, {{0.3F, 0.25F, 0.7F, 0.8F}}}, 1, 1, 0, ref, {}, {});
    const GlTexture output = make_texture(gl(), GL_RGBA8, side, side);
    ASSERT_TRUE(camera_->draw(ref, {output.id(), GL_TEXTURE_2D, side, side}).ok());
    const Rgba drawn = download(gl(), output.id(), side, side);
    const double scale = std::max((part[2] - part[0]) * kSide / side, 1.0);
    double most = 0;
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const double u = (part[0] + (part[2] - part[0]) * (x + 0.5) / side) * kSide;
        const double v = (part[1] + (part[3] - part[1]) * (y + 0.5) / side) * kSide;
        for (size_t c = 0; c < 3; ++c) {
          double sum = 0, weights = 0;
          for (int row = -8; row < kSide + 8; ++row) {
            const double of_row = weight((row + 0.5 - v) / scale);
            for (int column = -8; of_row != 0 && column < kSide + 8; ++column) {
              const double w = of_row * weight((column + 0.5 - u) / scale);
              sum += w * frame.at(std::clamp(column, 0, kSide - 1), std::clamp(row, 0, kSide - 1))[c];
              weights += w;
            }
          }
          most = std::max(most, std::abs(std::clamp(sum / weights, 0.0, 255.0) - drawn.at(x, y)[c]));
        }
      }
    }
    std::printf("%d of %.1f pixels: differs by at most %.2f of 255\n", side, (part[2] - part[0]) * kSide, most);
    EXPECT_LT(most, 2) << "linear filters of GPUs have 256 steps between two pixels";
  }
}

class RegionTest : public GlTest {
 protected:
  static constexpr int kSide = 64;
  static constexpr float kWidth = 1280, kHeight = 720;
  // Radii of an ellipse of people in the middle, in fractions of the sides of the frame.
  using Radius = std::function<double(int frame)>;

  // How many pixels of each shown mask are foreground, if the model sees one in whole frames and another in parts.
  std::vector<int> shown(int frames, const Radius& whole, const Radius& part) {
    const GlTexture mask = make_texture(gl(), GL_RGBA8, kSide, kSide);
    const TextureRef ref{mask.id(), GL_TEXTURE_2D, kSide, kSide};
    auto region = PersonRegion::create(ShareGroup::create(gl(), nullptr, element_shaders()), ref, kSide, kSide).value();
    const std::array<float, 4> same{0, 0, 1, 1};
    const GlBuffer noise = make_storage(gl(), sizeof same, same.data());
    const FrameRef frame(TextureRef{mask.id(), GL_TEXTURE_2D, static_cast<int>(kWidth), static_cast<int>(kHeight)});
    std::vector<int> counts;
    for (int i = 0; i < frames; ++i) {
      region.plan(false);
      for (size_t stage = 0; stage < region.stages(); ++stage) {
        const BufferRange flag = region.begin(stage, frame, {}, {noise.id(), 0, sizeof same}, {});
        const bool runs = flag.buffer == 0 || read_buffer<uint32_t>(gl(), flag).at(0) != 0;
        const std::vector<float> place = read_buffer<float>(gl(), {region.place(), 0, 8 * sizeof(float)});
        const Part sampled{place.at(2), place.at(6), place.at(0), place.at(5)};
        if (runs) paint(mask, sampled, sampled.width < 1 || sampled.height < 1 ? part(i) : whole(i));
        region.end(stage, kWidth, kHeight);
      }
      const Rgba all = download(gl(), region.paste().id, kSide, kSide);
      int count = 0;
      for (size_t p = 0; p < all.pixels.size(); p += 4) count += all.pixels[p] > 127 ? 1 : 0;
      counts.push_back(count);
    }
    return counts;
  }
  // The same if the model sees no parts.
  static int pixels_of(double radius) {
    int count = 0;
    for (int i = 0; i < kSide * kSide; ++i) {
      count += in_ellipse((i % kSide + 0.5) / kSide, (i / kSide + 0.5) / kSide, radius) ? 1 : 0;
    }
    return count;
  }

 private:
  struct Part {
    double x, y, width, height;
  };
  static bool in_ellipse(double x, double y, double radius) { return std::hypot(x - 0.5, y - 0.5) < radius; }
  void paint(const GlTexture& mask, const Part& part, double radius) const {
    Rgba pixels(kSide, kSide);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool person =
            in_ellipse(part.x + part.width * (x + 0.5) / kSide, part.y + part.height * (y + 0.5) / kSide, radius);
        std::fill_n(pixels.at(x, y), 4, static_cast<uint8_t>(person ? 255 : 0));
      }
    }
    gl().BindTexture(GL_TEXTURE_2D, mask.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSide, kSide, GL_RGBA, GL_UNSIGNED_BYTE, pixels.pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
  }
};

// A part of an animal looks like a person, and another part does not.
TEST_F(RegionTest, IsNotShownIfItsPeopleComeAndGo) {
  const std::vector<int> counts = shown(
      200, [](int) { return 0.08; }, [](int frame) { return frame % 2 == 0 ? 0.3 : 0.15; });
  for (size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], pixels_of(0.08)) << "frame " << i;
}

// In the whole frame, the model sees only the faces of small people.
TEST_F(RegionTest, IsShownIfItsPeopleStay) {
  for (const double radius : {0.06, 0.08, 0.1}) {
    const std::vector<int> counts = shown(
        120, [](int) { return 0.03; }, [=](int) { return radius; });
    const int most = pixels_of(radius);
    size_t first = 0;
    while (first < counts.size() && counts[first] < 0.9 * most) ++first;
    std::printf("radius %.2f: shown from frame %zu on\n", radius, first);
    EXPECT_GT(first, 15U) << "a look at the frame does not confirm it";
    EXPECT_LE(first, 75U);
    for (size_t i = first; i < counts.size(); ++i) EXPECT_NEAR(counts[i], most, 0.1 * most) << "frame " << i;
  }
}

// People who are not small are never missed as much.
TEST_F(RegionTest, IsNotShownIfItsPeopleStayButAreLarge) {
  const std::vector<int> counts = shown(
      120, [](int) { return 0.1; }, [](int) { return 0.2; });
  for (size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], pixels_of(0.1)) << "frame " << i;
}

// One who is as large in both is shown at once.
TEST_F(RegionTest, IsShownAtOnceIfTheFrameAgrees) {
  const std::vector<int> counts = shown(
      40, [](int) { return 0.2; }, [](int) { return 0.24; });
  EXPECT_NEAR(counts.front(), pixels_of(0.24), 0.1 * pixels_of(0.24));
  EXPECT_NEAR(counts.back(), pixels_of(0.24), 0.1 * pixels_of(0.24));
}

// Small enough for a region, but too large as soon as it is one.
TEST_F(RegionTest, DoesNotTakeTurnsWithTheWholeFrame) {
  const std::vector<int> counts = shown(
      100, [](int) { return 0.28; }, [](int) { return 0.36; });
  int changes = 0;
  for (size_t i = 1; i < counts.size(); ++i) changes += counts[i] != counts[i - 1] ? 1 : 0;
  std::printf("%d changes in 100 frames\n", changes);
  EXPECT_LE(changes, 2);
}

}  // namespace
}  // namespace sightglass::test
