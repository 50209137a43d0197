// region=person: the model looks at a box around people, and nothing that it would see in the whole frame is lost.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "gl_pictures.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 512, kHeight = 256;

std::string element(const std::string& properties) {
  return "glsegment name=segment background=mask refine=none smoothing=0 model=" + red_model() + " " + properties;
}

struct Box {
  int32_t x = 0, y = 0, width = 0, height = 0;
  bool has(int32_t at_x, int32_t at_y) const { return at_x >= x && at_x < x + width && at_y >= y && at_y < y + height; }
};
Rgba with(const Box& one, const Box& other = {}) {
  return picture(kWidth, kHeight, [&](int32_t x, int32_t y) { return one.has(x, y) || other.has(x, y); });
}
int mask_in(const Rgba& mask, const Box& box) { return mask.at(box.x + box.width / 2, box.y + box.height / 2)[0]; }

// The share of pixels on the wrong side.
double error(const Rgba& mask, const Rgba& frame) {
  int wrong = 0;
  for (size_t i = 0; i < mask.pixels.size(); i += 4) wrong += (mask.pixels[i] >= 128) != (frame.pixels[i] == kRed[0]);
  return wrong / static_cast<double>(kWidth * kHeight);
}

constexpr Box kPerson{100, 120, 60, 80};

TEST(Region, ShowsASmallPersonLarger) {
  const Rgba frame = with({110, 131, 40, 50});
  double errors[2] = {};
  for (const bool person : {false, true}) {
    PlayingPipeline pipeline(element(person ? "region=person" : "region=frame"));
    Rgba mask = pipeline.shown(frame);
    for (int i = 0; i < 3; ++i) mask = pipeline.shown(frame);
    errors[person ? 1 : 0] = error(mask, frame);
  }
  std::printf("wrong pixels: %.2f %% in the frame, %.2f %% in the region\n", 100 * errors[0], 100 * errors[1]);
  EXPECT_LT(errors[1], errors[0]);
}

TEST(Region, FollowsMotionWithoutLoss) {
  PlayingPipeline pipeline(element("region=person"));
  double most = 0;
  Box person = kPerson;
  for (int i = 0; i < 40; ++i) {
    person.x += 6;
    if (i >= 20) person.y -= 2;
    const Rgba frame = with(person);
    const Rgba mask = pipeline.shown(frame);
    EXPECT_EQ(mask_in(mask, person), 255) << "frame " << i;
    most = std::max(most, error(mask, frame));
  }
  std::printf("at most %.2f %% of the pixels are wrong\n", 100 * most);
  EXPECT_LT(most, 0.02);
}

TEST(Region, FindsNewcomersWithinHalfASecond) {
  constexpr Box kNewcomer{420, 40, 60, 80};
  for (const char* sync : {"mask-sync=exact", "mask-sync=latest"}) {
    PlayingPipeline pipeline(element(std::string("region=person ") + sync));
    for (int i = 0; i < 20; ++i) pipeline.shown(with(kPerson));
    int frames = 0;
    while (frames < 40) {
      const Rgba mask = pipeline.shown(with(kPerson, kNewcomer));
      ++frames;
      if (mask_in(mask, kNewcomer) == 255) break;
      EXPECT_EQ(mask_in(mask, kPerson), 255);
    }
    std::printf("%s: found after %d frames\n", sync, frames);
    EXPECT_GT(frames, 1) << "the model saw the whole frame";
    EXPECT_LE(frames, 17) << sync;
    for (int i = 0; i < 40; ++i) {
      const Rgba mask = pipeline.shown(with(kPerson, kNewcomer));
      EXPECT_EQ(mask_in(mask, kNewcomer), 255) << sync << ", frame " << i;
      EXPECT_EQ(mask_in(mask, kPerson), 255) << sync << ", frame " << i;
    }
  }
}

TEST(Region, SeesTheWholeFrameAfterACutAndWithoutPeople) {
  constexpr Box kElsewhere{380, 10, 100, 220};
  PlayingPipeline pipeline(element("region=person"));
  for (int i = 0; i < 10; ++i) pipeline.shown(with(kPerson));
  Rgba other = with(kElsewhere);
  for (int32_t y = 0; y < kHeight; ++y) {
    for (int32_t x = 0; x < kWidth; ++x) {
      if (!kElsewhere.has(x, y)) other.at(x, y)[1] = (x / 32 + y / 32) % 2 == 0 ? 10 : 250;
    }
  }
  EXPECT_EQ(mask_in(pipeline.shown(other), kElsewhere), 255) << "a cut";
  const Rgba nobody = with({});
  for (int i = 0; i < 10; ++i) pipeline.shown(nobody);
  EXPECT_EQ(mask_in(pipeline.shown(with(kPerson)), kPerson), 255) << "the first person";
}

// A person who fills the frame: the same masks as without a region, bit for bit.
TEST(Region, ChangesNothingForLargePeople) {
  const Rgba frame = with({40, 0, 432, 256});
  PlayingPipeline whole(element("region=frame")), follows(element("region=person"));
  for (int i = 0; i < 35; ++i) EXPECT_EQ(whole.shown(frame).pixels, follows.shown(frame).pixels) << "frame " << i;
}

TEST(Region, WorksWithLetterboxAndStillImages) {
  for (const char* more : {"fit=letterbox", "skip-static=true", "fit=letterbox skip-static=true"}) {
    PlayingPipeline pipeline(element(std::string("region=person ") + more));
    for (int i = 0; i < 40; ++i) {
      const Rgba frame = with(kPerson);
      const Rgba mask = pipeline.shown(frame);
      EXPECT_LT(error(mask, frame), 0.02) << more << ", frame " << i;
    }
  }
}

TEST(Region, IsTheFrameForModelsThatNeedIt) {
  for (const Head head : {Head::kFourClasses, Head::kRemembers, Head::kCpuOnly}) {
    const std::string middle = "glsegment name=segment background=mask fallback=cpu model=" + red_model(head);
    PlayingPipeline whole(middle + " region=frame"), follows(middle + " region=person");
    for (int i = 0; i < 20; ++i) {
      const Rgba frame = with(kPerson);
      EXPECT_EQ(whole.shown(frame).pixels, follows.shown(frame).pixels) << static_cast<int>(head) << ", frame " << i;
    }
  }
}

}  // namespace
}  // namespace sightglass::test
