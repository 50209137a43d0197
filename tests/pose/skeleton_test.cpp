// Skeletons over images.
#include <algorithm>

#include "gl/objects.h"
#include "meta/persons.h"
#include "pose/pose_estimator.h"
#include "pose_case.h"

namespace sightglass::test {
namespace {

class SkeletonTest : public PoseTest {
 protected:
  Rgba draw(const Persons& persons, const SkeletonStyle& style, int32_t shown_width = 64) {
    const auto painter = SkeletonPainter::create(group(), coco_skeleton());
    EXPECT_TRUE(painter.ok()) << painter.status().message();
    const GlBuffer buffer = make_storage(gl(), sizeof(Persons), &persons);
    Rgba blue(64, 48);
    for (size_t i = 0; i < blue.pixels.size(); i += 4) blue.pixels[i + 2] = blue.pixels[i + 3] = 255;
    const GlTexture texture = upload(gl(), blue);
    const Status status =
        (*painter)->draw({buffer.id(), 0, sizeof(Persons)}, {texture.id(), GL_TEXTURE_2D, 64, 48}, shown_width, style);
    EXPECT_TRUE(status.ok()) << status.message();
    return download(gl(), texture.id(), 64, 48);
  }
};

// From the left shoulder at (16, 12) to the left elbow at (48, 12). The other points are hidden.
Persons an_arm() {
  Persons persons;
  persons.count = 1;
  persons.persons[0].points_count = 17;
  for (const size_t i : {5, 7}) {
    persons.persons[0].points[i] = {.x = i == 5 ? 0.25F : 0.75F,
                                    .y = 0.25F,
                                    .z = 0,
                                    .visibility = 0.8F,
                                    .presence = 0.9F,
                                    .world_x = 0,
                                    .world_y = 0,
                                    .world_z = 0};
  }
  return persons;
}

int red(const Rgba& picture, int x, int y) { return picture.at(x, y)[0]; }
int green(const Rgba& picture, int x, int y) { return picture.at(x, y)[1]; }

// Pixels of half the width and of twice the width: points stay in their place, and are round on a screen.
TEST_F(SkeletonTest, PointsAreRoundOnPixelsThatAreNotSquare) {
  SkeletonStyle style;
  style.line_width = 0;
  style.point_radius = 8;
  style.point_color = {1, 0, 0, 1};
  for (const int32_t shown_width : {32, 128}) {
    const Rgba drawn = draw(an_arm(), style, shown_width);
    int across = 0, down = 0, first = 64;
    for (int x = 0; x < 32; ++x) {
      across += red(drawn, x, 12) > 127 ? 1 : 0;
      if (red(drawn, x, 12) > 127) first = std::min(first, x);
    }
    for (int y = 0; y < 48; ++y) down += red(drawn, 16, y) > 127 ? 1 : 0;
    EXPECT_NEAR(down, 16, 1) << shown_width;
    EXPECT_NEAR(across * shown_width / 64.0, 16, 2) << shown_width;
    EXPECT_NEAR(first + 0.5 * across, 16, 1) << shown_width;
  }
}

TEST_F(SkeletonTest, BonesAndPointsAreOnThePerson) {
  SkeletonStyle style;
  style.line_width = 4;
  style.point_radius = 5;
  style.line_color = {0, 1, 0, 1};
  style.point_color = {1, 0, 0, 1};
  const Rgba drawn = draw(an_arm(), style);
  EXPECT_GT(green(drawn, 32, 12), 250);
  EXPECT_EQ(green(drawn, 32, 20), 0);
  EXPECT_GT(red(drawn, 16, 12), 250);  // points are drawn over bones
  EXPECT_GT(red(drawn, 48, 15), 250);
  EXPECT_EQ(red(drawn, 32, 12), 0);
  EXPECT_EQ(red(drawn, 0, 0), 0);  // at the hidden points
}

TEST_F(SkeletonTest, UncertainPointsAreNotDrawn) {
  SkeletonStyle style;
  style.visibility = 0.85F;
  const Rgba hidden = draw(an_arm(), style);
  EXPECT_EQ(green(hidden, 32, 12), 0);
  style.visibility = 0.5F;
  style.presence = 0.95F;
  const Rgba absent = draw(an_arm(), style);
  EXPECT_EQ(green(absent, 32, 12), 0);
  Persons nobody = an_arm();
  nobody.count = 0;
  EXPECT_EQ(green(draw(nobody, {}), 32, 12), 0);
}

}  // namespace
}  // namespace sightglass::test
