// IDs, boxes, and smoothing: compares shaders/pose/follow.comp with the formulas of the filter. Skeletons over images.
#include <algorithm>
#include <cmath>
#include <optional>

#include "gl/objects.h"
#include "harness/value_of.h"
#include "meta/persons.h"
#include "pose/pose_estimator.h"
#include "pose_case.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 640, kHeight = 480;
constexpr float kTau = 6.28318530718F;

class FollowerTest : public PersonFollowerTest {
 protected:
  Persons follow(const Persons& found, const FollowOptions& options) {
    const GlBuffer buffer = make_storage(gl(), sizeof(Persons), &found);
    follower_->run({buffer.id(), 0, sizeof(Persons)}, kWidth, kHeight, options);
    return read(follower_->persons());
  }
};

// Four points: the corners of a box.
Person person_at(float x, float y, float size) {
  Person person;
  person.points_count = 4;
  person.score = 0.7F;
  for (size_t i = 0; i < 4; ++i) {
    person.points[i] = {.x = x + (i % 2 == 0 ? 0 : size),
                        .y = y + (i < 2 ? 0 : size),
                        .z = 0.1F,
                        .visibility = 0.9F,
                        .presence = 0.9F,
                        .world_x = x,
                        .world_y = y,
                        .world_z = 0};
  }
  return person;
}
Persons persons_of(std::initializer_list<Person> list) {
  Persons persons;
  for (const Person& person : list) persons.persons[static_cast<size_t>(persons.count++)] = person;
  return persons;
}

TEST_F(FollowerTest, PeopleKeepTheirIdsInAnyOrder) {
  const Person left = person_at(0.1F, 0.2F, 0.3F), right = person_at(0.6F, 0.2F, 0.3F);
  const Persons first = follow(persons_of({left, right}), {});
  ASSERT_EQ(first.count, 2);
  EXPECT_EQ(first.persons[0].id, 1);
  EXPECT_EQ(first.persons[1].id, 2);
  EXPECT_NEAR(first.persons[1].box[0], 0.6F, 1e-6F);
  EXPECT_NEAR(first.persons[1].box[3], 0.5F, 1e-6F);

  Person nobody = person_at(0, 0, 1);
  nobody.points_count = 0;
  FollowOptions next;
  next.seconds = 0.04F;
  const Persons second = follow(persons_of({nobody, person_at(0.62F, 0.21F, 0.3F), left}), next);
  ASSERT_EQ(second.count, 2);
  EXPECT_EQ(second.persons[0].id, 2);
  EXPECT_EQ(second.persons[1].id, 1);
  EXPECT_EQ(second.persons[0].points_count, 4);
  EXPECT_FLOAT_EQ(second.persons[0].score, 0.7F);

  // A person who is missing for up to a second keeps the ID.
  for (int i = 0; i < 24; ++i) EXPECT_EQ(follow(persons_of({right}), next).persons[0].id, 2);
  EXPECT_EQ(follow(persons_of({right, left}), next).persons[1].id, 1);
  for (int i = 0; i < 26; ++i) EXPECT_EQ(follow(persons_of({right}), next).persons[0].id, 2);
  EXPECT_EQ(follow(persons_of({right, left}), next).persons[1].id, 3);
  // After a discontinuity, everyone gets a new ID.
  EXPECT_EQ(follow(persons_of({right}), {}).persons[0].id, 4);
  EXPECT_EQ(follow({}, next).count, 0);
}

// More people than tracks in a second: those who were lost first are forgotten.
TEST_F(FollowerTest, LostPeopleLeaveTheirTracksToNewOnes) {
  const FollowOptions next{.seconds = 0.04F};
  int32_t id = 0;
  for (int i = 0; i < 12; ++i) {
    const float x = static_cast<float>(i % 4) * 0.25F, y = static_cast<float>(i / 4) * 0.3F;
    const Persons told = follow(persons_of({person_at(x, y, 0.1F)}), next);
    ASSERT_EQ(told.count, 1);
    EXPECT_EQ(told.persons[0].id, ++id) << i;
  }
  EXPECT_EQ(follow(persons_of({person_at(0.75F, 0.3F, 0.1F)}), next).persons[0].id, 8);
  EXPECT_EQ(follow(persons_of({person_at(0, 0, 0.1F)}), next).persons[0].id, 13);
}

// A stick figure of 17 points with its feet at `x`; `phase` swings its limbs.
Person walker_at(float x, float height, float phase) {
  constexpr std::array<std::array<float, 2>, 17> kPlaces{{{0, -0.93F},
                                                          {0.02F, -0.95F},
                                                          {-0.02F, -0.95F},
                                                          {0.04F, -0.94F},
                                                          {-0.04F, -0.94F},
                                                          {0.11F, -0.8F},
                                                          {-0.11F, -0.8F},
                                                          {0.13F, -0.62F},
                                                          {-0.13F, -0.62F},
                                                          {0.14F, -0.46F},
                                                          {-0.14F, -0.46F},
                                                          {0.07F, -0.5F},
                                                          {-0.07F, -0.5F},
                                                          {0.07F, -0.27F},
                                                          {-0.07F, -0.27F},
                                                          {0.07F, -0.03F},
                                                          {-0.07F, -0.03F}}};
  Person person;
  person.points_count = 17;
  person.score = 0.9F;
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    const float swing = i < 7 ? 0 : 0.06F * std::sin(phase) * (i % 2 == 0 ? 1.0F : -1.0F) * (1 + kPlaces[i][1]);
    person.points[i] = {.x = x + height * (kPlaces[i][0] + swing) * kHeight / kWidth,
                        .y = 0.9F + height * kPlaces[i][1],
                        .visibility = 0.9F,
                        .presence = 0.9F};
  }
  return person;
}

// Two people whose paths cross or touch, with jitter, found in any order. If they overlap, one may be missing.
struct Meeting {
  const char* name;
  float height_a, height_b;
  bool turn_back;
  int missing;  // frames around the meeting in which only the first one is found
};

TEST_F(FollowerTest, PeopleWhoMeetKeepTheirIds) {
  constexpr int kFrames = 60;
  constexpr Meeting kMeetings[] = {{"cross", 0.6F, 0.6F, false, 0},
                                   {"cross, one hidden for 5 frames", 0.6F, 0.6F, false, 5},
                                   {"cross, one hidden for 12 frames", 0.6F, 0.55F, false, 12},
                                   {"cross, one smaller and hidden for 20 frames", 0.7F, 0.5F, false, 20},
                                   {"touch and turn back", 0.6F, 0.6F, true, 0},
                                   {"touch and turn back, one hidden for 8 frames", 0.65F, 0.55F, true, 8}};
  for (const Meeting& meeting : kMeetings) {
    uint32_t seed = 1;
    const auto jitter = [&] {
      seed = seed * 1664525U + 1013904223U;
      return (static_cast<float>(seed >> 8U) / 16777216.0F - 0.5F) * 0.008F;
    };
    std::array<int32_t, 2> ids{};
    int wrong = 0, hidden = 0;
    float nearest = 1;
    FollowOptions options{.seconds = -1, .min_cutoff = 0.05F, .beta = 80};
    for (int frame = 0; frame < kFrames; ++frame) {
      const float time = static_cast<float>(frame) - 29.5F;
      const float way = 0.012F * (meeting.turn_back ? -std::abs(time) : time);
      const float apart = meeting.turn_back ? 0.03F : 0;
      std::array<Person, 2> people{walker_at(0.5F + way - apart, meeting.height_a, time * 0.4F),
                                   walker_at(0.5F - way + apart, meeting.height_b, 1 + time * 0.5F)};
      nearest = std::min(nearest, std::abs(people[0].points[0].x - people[1].points[0].x));
      for (Person& person : people) {
        for (KeyPoint& point : person.points) {
          point.x += jitter();
          point.y += jitter();
        }
      }
      const bool is_hidden = std::abs(time) < static_cast<float>(meeting.missing) / 2;
      const bool swapped = frame % 3 == 1;
      Persons found;
      for (size_t i = 0; i < 2; ++i) {
        const size_t who = swapped ? 1 - i : i;
        if (is_hidden && who == 1) continue;
        found.persons[static_cast<size_t>(found.count++)] = people[who];
      }
      hidden += is_hidden ? 1 : 0;
      const Persons told = follow(found, options);
      ASSERT_EQ(told.count, found.count);
      for (int32_t i = 0; i < told.count; ++i) {
        const size_t who = is_hidden ? 0 : static_cast<size_t>(swapped ? 1 - i : i);
        const int32_t id = told.persons[static_cast<size_t>(i)].id;
        if (ids[who] == 0) ids[who] = id;
        wrong += id != ids[who] ? 1 : 0;
      }
      options.seconds = 1.0F / 30;
    }
    std::printf("%s: %d frames, %d with one person hidden, noses at least %.3f apart, %d wrong IDs\n", meeting.name,
                kFrames, hidden, nearest, wrong);
    EXPECT_EQ(wrong, 0) << meeting.name;
  }
}

TEST_F(FollowerTest, InvalidPointsDoNotExtendTheBox) {
  Person person = person_at(0.2F, 0.2F, 0.2F);
  person.points[3].visibility = 0.1F;
  person.points[3].x = 0.9F;
  FollowOptions options;
  options.visibility = 0.5F;
  EXPECT_NEAR(follow(persons_of({person}), options).persons[0].box[2], 0.4F, 1e-6F);
  EXPECT_NEAR(follow(persons_of({person}), {}).persons[0].box[2], 0.9F, 1e-6F);
}

TEST_F(FollowerTest, SmoothingIsAOneEuroFilter) {
  FollowOptions options{.seconds = -1, .min_cutoff = 0.5F, .beta = 5, .visibility = 0, .presence = 0};
  constexpr float kSize = 0.4F, kStep = 0.05F;
  double before = 0, value = 0, speed = 0;
  for (int i = 0; i < 12; ++i) {
    const float x = 0.1F + (i < 4 ? 0.002F * static_cast<float>(i % 2) : 0.01F * static_cast<float>(i));
    const Persons told = follow(persons_of({person_at(x, 0.3F, kSize)}), options);
    ASSERT_EQ(told.count, 1);
    const double now = x * kWidth;
    const auto weight = [&](double cut_off) { return 1 / (1 + 1 / (kTau * cut_off * kStep)); };
    if (i == 0) {
      value = now;
    } else {
      const double size = 1.25 * kSize * kWidth;  // the box is wider than high, in pixels
      speed += weight(1) * ((now - before) / size / kStep - speed);
      value += weight(options.min_cutoff + options.beta * std::abs(speed)) * (now - value);
    }
    before = now;
    EXPECT_NEAR(told.persons[0].points[0].x * kWidth, value, 0.01) << i;
    EXPECT_NEAR(told.persons[0].points[0].y, 0.3, 1e-5);
    EXPECT_FLOAT_EQ(told.persons[0].points[0].visibility, 0.9F);
    options.seconds = kStep;
  }
  EXPECT_GT(std::abs(value - before), 0.5);  // it lags: something was smoothed
  // Smoothing is off.
  options.min_cutoff = 0;
  EXPECT_NEAR(follow(persons_of({person_at(0.3F, 0.3F, kSize)}), options).persons[0].points[0].x, 0.3F, 1e-6F);
}

// One bad frame from a model affects only that frame.
TEST_F(FollowerTest, NanDoesNotPersist) {
  FollowOptions options{.seconds = -1, .min_cutoff = 0.5F, .beta = 5, .visibility = 0, .presence = 0};
  const Person person = person_at(0.2F, 0.3F, 0.4F);
  for (const float bad : {std::nanf(""), INFINITY}) {
    Person broken = person;
    broken.points[1].z = broken.points[2].world_x = broken.points[3].x = bad;
    for (const Person& one : {person, broken, person, person}) {
      const Persons told = follow(persons_of({one}), options);
      options.seconds = 0.04F;
      ASSERT_EQ(told.count, 1);
      EXPECT_EQ(told.persons[0].id, 1) << "the same person";
    }
    const Persons told = follow(persons_of({person}), options);
    EXPECT_NEAR(told.persons[0].points[1].z, 0.1F, 1e-4F);
    EXPECT_NEAR(told.persons[0].points[2].world_x, 0.2F, 1e-4F);
  }
}

class SkeletonTest : public PoseTest {
 protected:
  Rgba draw(const Persons& persons, const SkeletonStyle& style, int32_t shown_width = 64) {
    const auto painter = value_of(SkeletonPainter::create(group(), coco_skeleton()));
    const GlBuffer buffer = make_storage(gl(), sizeof(Persons), &persons);
    Rgba blue(64, 48);
    for (size_t i = 0; i < blue.pixels.size(); i += 4) blue.pixels[i + 2] = blue.pixels[i + 3] = 255;
    const GlTexture texture = upload(gl(), blue);
    const Status status =
        painter->draw({buffer.id(), 0, sizeof(Persons)}, {texture.id(), GL_TEXTURE_2D, 64, 48}, shown_width, style);
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

TEST_F(SkeletonTest, LinesHaveTheColorOfTheirPerson) {
  SkeletonStyle style;
  style.point_radius = 0;
  style.line_width = 6;
  std::vector<std::array<int, 3>> colors;
  for (const int id : {0, 1, 2, 3}) {
    Persons persons = an_arm();
    persons.persons[0].id = id;
    const Rgba drawn = draw(persons, style);
    colors.push_back({drawn.at(32, 12)[0], drawn.at(32, 12)[1], drawn.at(32, 12)[2]});
  }
  EXPECT_EQ(colors[0], colors[1]);
  EXPECT_GT(colors[1][1], 250) << "green";
  EXPECT_LT(colors[1][0], 60);
  for (size_t i = 1; i < colors.size(); ++i) {
    for (size_t j = 1; j < i; ++j) {
      int distance = 0;
      for (size_t c = 0; c < 3; ++c) distance += std::abs(colors[i][c] - colors[j][c]);
      EXPECT_GT(distance, 200) << i << " and " << j;
    }
  }
}

// Of 48 rows: at least a pixel and a half, so that small pictures show them.
TEST_F(SkeletonTest, SizesFollowTheFrame) {
  const Rgba drawn = draw(an_arm(), {});
  EXPECT_GT(green(drawn, 32, 12), 120);
  EXPECT_EQ(green(drawn, 32, 14), 0);
  EXPECT_GT(red(drawn, 16, 12), 120);
  EXPECT_EQ(red(drawn, 16, 15), 0);
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
