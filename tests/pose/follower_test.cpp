// IDs, boxes, and smoothing: compares shaders/pose/follow.comp with the formulas of the filter.
#include <cmath>
#include <optional>

#include "gl/compute.h"
#include "pose/person_follower.h"
#include "pose_case.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 640, kHeight = 480;
constexpr float kTau = 6.28318530718F;

class FollowerTest : public PoseTest {
 protected:
  void SetUp() override {
    PoseTest::SetUp();
    auto follower = PersonFollower::create(group());
    ASSERT_TRUE(follower.ok()) << follower.status().message();
    follower_.emplace(*std::move(follower));
  }
  void TearDown() override {
    follower_.reset();
    PoseTest::TearDown();
  }
  Persons follow(const Persons& found, const FollowOptions& options) {
    const GlBuffer buffer = make_storage(gl(), sizeof(Persons), &found);
    follower_->run({buffer.id(), 0, sizeof(Persons)}, kWidth, kHeight, options);
    return read(follower_->persons());
  }
  std::optional<PersonFollower> follower_;
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

  // A person who is missing in one frame is lost. After a discontinuity, everyone gets a new ID.
  EXPECT_EQ(follow(persons_of({right}), next).persons[0].id, 2);
  EXPECT_EQ(follow(persons_of({right, left}), next).persons[1].id, 3);
  EXPECT_EQ(follow(persons_of({right}), {}).persons[0].id, 4);
  EXPECT_EQ(follow({}, next).count, 0);
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
    broken.points[1].z = broken.points[2].world_x = bad;
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

}  // namespace
}  // namespace sightglass::test
