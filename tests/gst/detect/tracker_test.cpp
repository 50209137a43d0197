// Identities of detections across frames: scenes in which the right ones are known, and random ones against a scalar
// tracker.
#include "detect/tracker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "detect_reference.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"

namespace sightglass::test {
namespace {

constexpr float kFrame = 1.0F / 30;

Detection object(float x, float y, float width, float height, float score = 0.9F, int32_t class_id = 0) {
  Detection d;
  d.box = {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  d.score = score;
  d.class_id = class_id;
  return d;
}

class TrackerTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    tracker_.emplace(value_of(Tracker::create(ShareGroup::create(gl(), nullptr, element_shaders()))));
    found_ = make_storage(gl(), sizeof(Detections));
  }
  void TearDown() override {
    tracker_.reset();
    found_ = {};
    GlTest::TearDown();
  }

  std::vector<Detection> run(std::vector<Detection> objects, const TrackOptions& options) {
    std::ranges::stable_sort(objects, std::ranges::greater{}, &Detection::score);
    Detections content;
    content.count = static_cast<int32_t>(objects.size());
    std::ranges::copy(objects, content.detections.begin());
    {
      const BufferBinding bound(gl(), GL_COPY_WRITE_BUFFER, found_.id());
      gl().BufferSubData(GL_COPY_WRITE_BUFFER, 0, sizeof(content), &content);
    }
    const GlState before = snapshot_gl_state(gl());
    tracker_->run({found_.id(), 0, sizeof(Detections)}, options);
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
    std::vector<Detection> tracked = read_detections(gl(), tracker_->tracked().buffer);
    const std::vector<Detection> expected = reference_.run(objects, options);
    EXPECT_EQ(tracked.size(), expected.size());
    for (size_t i = 0; i < std::min(tracked.size(), expected.size()); ++i) {
      EXPECT_EQ(tracked[i], expected[i]) << "detection " << i << " of frame " << frame_ << ": ID " << tracked[i].id
                                         << ", expected " << expected[i].id;
    }
    ++frame_;
    return tracked;
  }
  // IDs by the order of x.
  std::vector<int32_t> ids(const std::vector<Detection>& objects, TrackOptions options = {.seconds = kFrame}) {
    std::vector<Detection> tracked = run(objects, options);
    std::ranges::sort(tracked, {}, [](const Detection& d) { return d.box[0]; });
    std::vector<int32_t> ids;
    for (const Detection& d : tracked) ids.push_back(d.id);
    return ids;
  }
  using Ids = std::vector<int32_t>;

 private:
  std::optional<Tracker> tracker_;
  ReferenceTracker reference_;
  GlBuffer found_;
  int frame_ = 0;
};

TEST_F(TrackerTest, CrossingObjectsKeepTheirNumbers) {
  // Two people walk past each other, at heights of which overlap says little while they meet.
  for (int i = 0; i <= 60; ++i) {
    const float t = static_cast<float>(i) / 60;
    const std::vector<Detection> tracked =
        run({object(0.2F + 0.6F * t, 0.5F, 0.1F, 0.4F, 0.9F), object(0.8F - 0.6F * t, 0.55F, 0.1F, 0.4F, 0.8F)},
            {.seconds = i == 0 ? -1 : kFrame});
    ASSERT_EQ(tracked.size(), 2u) << i;
    EXPECT_EQ(tracked[0].id, 1) << "frame " << i;
    EXPECT_EQ(tracked[1].id, 2) << "frame " << i;
  }
}

TEST_F(TrackerTest, LostForLessThanASecondKeepsItsNumber) {
  const auto walker = [](int frame) { return object(0.2F + 0.004F * static_cast<float>(frame), 0.5F, 0.1F, 0.3F); };
  const Detection other = object(0.8F, 0.5F, 0.1F, 0.3F, 0.7F);
  int frame = 0;
  for (; frame < 30; ++frame) EXPECT_EQ(ids({walker(frame), other}), (Ids{1, 2})) << frame;
  for (; frame < 58; ++frame) EXPECT_EQ(ids({other}), (Ids{2})) << frame;
  EXPECT_EQ(ids({walker(frame), other}), (Ids{1, 2})) << "hidden for 28 frames of 30 per second";
  for (int i = 0; i < 32; ++i) EXPECT_EQ(ids({other}), (Ids{2})) << i;
  EXPECT_EQ(ids({walker(frame + 33), other}), (Ids{3, 2})) << "hidden for more than a second: a new object";
}

TEST_F(TrackerTest, LowScoresContinueTracksButBeginNone) {
  const auto person = [](int i, float score) {
    return object(0.4F + 0.003F * static_cast<float>(i), 0.5F, 0.1F, 0.3F, score);
  };
  const Detection ghost = object(0.8F, 0.5F, 0.1F, 0.3F, 0.45F);
  EXPECT_EQ(ids({person(0, 0.9F), ghost}), (Ids{1})) << "0.45 is less than the threshold of 0.5";
  for (int i = 1; i < 40; ++i) {
    EXPECT_EQ(ids({person(i, i % 10 == 0 ? 0.9F : 0.15F), ghost}), (Ids{1})) << i;
  }
  EXPECT_EQ(ids({person(40, 0.05F), ghost}), (Ids{})) << "less than 0.1 is noise";
  EXPECT_EQ(ids({person(41, 0.2F)}), (Ids{})) << "a low score does not bring back who was lost";
  EXPECT_EQ(ids({person(42, 0.8F)}), (Ids{1})) << "a high one does";
}

TEST_F(TrackerTest, ClassesDoNotExchangeNumbers) {
  EXPECT_EQ(ids({object(0.4F, 0.5F, 0.2F, 0.2F, 0.9F, 3)}), (Ids{1}));
  EXPECT_EQ(ids({object(0.4F, 0.5F, 0.2F, 0.2F, 0.9F, 4)}), (Ids{2})) << "a cup in the place of a bottle";
  EXPECT_EQ(ids({object(0.4F, 0.5F, 0.2F, 0.2F, 0.9F, 3)}), (Ids{1}));
  const std::vector<Detection> both =
      run({object(0.4F, 0.5F, 0.2F, 0.2F, 0.9F, 3), object(0.4F, 0.5F, 0.2F, 0.2F, 0.8F, 4)}, {.seconds = kFrame});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].id, 1);
  EXPECT_EQ(both[1].id, 2);
}

TEST_F(TrackerTest, AnUnrelatedFrameBeginsAnew) {
  const std::vector<Detection> objects{object(0.3F, 0.5F, 0.2F, 0.2F), object(0.7F, 0.5F, 0.2F, 0.2F, 0.8F)};
  EXPECT_EQ(ids(objects, {.seconds = -1}), (Ids{1, 2}));
  EXPECT_EQ(ids(objects), (Ids{1, 2}));
  EXPECT_EQ(ids(objects, {.seconds = -1}), (Ids{3, 4})) << "after a seek, numbers are new";
  EXPECT_EQ(ids(objects), (Ids{3, 4}));
}

TEST_F(TrackerTest, BestAssignmentOfAllNotOfEach) {
  // Both objects move by half their distance: the nearest detection of the first track is that of the second one.
  ids({object(0.30F, 0.5F, 0.2F, 0.2F), object(0.40F, 0.5F, 0.2F, 0.2F, 0.8F)});
  EXPECT_EQ(ids({object(0.36F, 0.5F, 0.2F, 0.2F), object(0.46F, 0.5F, 0.2F, 0.2F, 0.8F)}), (Ids{1, 2}));
  EXPECT_EQ(ids({object(0.42F, 0.5F, 0.2F, 0.2F), object(0.52F, 0.5F, 0.2F, 0.2F, 0.8F)}), (Ids{1, 2}));
}

TEST_F(TrackerTest, ManyObjects) {
  const auto grid = [](int shift, int32_t class_id) {
    std::vector<Detection> objects;
    for (int i = 0; i < kMaxDetections; ++i) {
      const auto x = static_cast<float>(i % 10), y = static_cast<float>(i / 10);
      objects.push_back(object(0.05F + 0.1F * x + 0.004F * static_cast<float>(shift), 0.05F + 0.1F * y, 0.08F, 0.08F,
                               0.9F - 0.003F * static_cast<float>(i), class_id));
    }
    return objects;
  };
  const auto expect = [&](const std::vector<Detection>& tracked, int32_t first) {
    ASSERT_EQ(tracked.size(), static_cast<size_t>(kMaxDetections));
    for (int i = 0; i < kMaxDetections; ++i) EXPECT_EQ(tracked[static_cast<size_t>(i)].id, first + i);
  };
  for (int i = 0; i < 5; ++i) expect(run(grid(i, 0), {.seconds = kFrame}), 1);
  // As many objects of another class: the places of those that were lost first are taken.
  expect(run(grid(5, 1), {.seconds = kFrame}), 101);
  expect(run(grid(6, 1), {.seconds = kFrame}), 101);
  const std::vector<Detection> few = run(grid(7, 1), {.seconds = kFrame, .most = 7});
  EXPECT_EQ(few.size(), 7u) << "max-results";
  expect(run(grid(8, 1), {.seconds = kFrame}), 101);
}

TEST_F(TrackerTest, SurvivesBrokenBoxes) {
  const float nan = std::nanf("");
  Detection broken = object(0.5F, 0.5F, 0.2F, 0.2F);
  for (float& v : broken.box) v = nan;
  Detection empty = object(0.5F, 0.5F, 0.0F, 0.2F);
  EXPECT_EQ(ids({object(0.3F, 0.5F, 0.2F, 0.2F, 0.8F), empty, broken}), (Ids{1}));
  EXPECT_EQ(ids({object(0.3F, 0.5F, 0.2F, 0.2F, 0.8F)}), (Ids{1}));
}

// People who walk, turn, hide and are seen badly, against the scalar tracker, which run() compares with.
TEST_F(TrackerTest, TracksAsOnTheCpu) {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    uint64_t state = seed;
    const auto uniform = [&state](float low, float high) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24F;
    };
    struct Walker {
      float x, y, width, height, dx, dy;
      int32_t class_id;
      int hidden;
    };
    std::vector<Walker> walkers;
    for (int i = 0; i < 45; ++i) {
      walkers.push_back({uniform(0, 1), uniform(0, 1), uniform(0.03F, 0.12F), uniform(0.05F, 0.3F),
                         uniform(-0.006F, 0.006F), uniform(-0.004F, 0.004F), i % 3, 0});
    }
    size_t shown = 0;
    int32_t largest = 0;
    for (int frame = 0; frame < 120; ++frame) {
      std::vector<Detection> objects;
      for (Walker& w : walkers) {
        w.x += w.dx;
        w.y += w.dy;
        if (w.x < 0 || w.x > 1) w.dx = -w.dx;
        if (w.y < 0 || w.y > 1) w.dy = -w.dy;
        if (w.hidden > 0) {
          --w.hidden;
          continue;
        }
        if (uniform(0, 1) < 0.02F) w.hidden = static_cast<int>(uniform(1, 45));
        const float noise = 0.04F * w.width;
        objects.push_back(object(w.x + uniform(-noise, noise), w.y + uniform(-noise, noise),
                                 w.width * uniform(0.95F, 1.05F), w.height * uniform(0.95F, 1.05F),
                                 uniform(0, 1) < 0.2F ? uniform(0.05F, 0.5F) : uniform(0.5F, 1), w.class_id));
      }
      for (const Detection& d : run(objects, {.seconds = frame == 0 ? -1 : kFrame})) {
        ++shown;
        largest = std::max(largest, d.id);
      }
      if (HasFailure()) FAIL() << "seed " << seed << ", frame " << frame;
    }
    EXPECT_GT(shown, 3000u);
    RecordProperty("objects", static_cast<int>(shown));
    RecordProperty("numbers", largest);
  }
}

}  // namespace
}  // namespace sightglass::test
