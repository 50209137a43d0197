#include "pose_case.h"

#include <utility>

#include "gl/shaders.h"
#include "harness/read_buffer.h"
#include "harness/value_of.h"
#include "sightglass/share_group.h"

namespace sightglass::test {

Result<PoseModel> load_pose_model(const std::string& path, PoseModelOptions options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, Model::load(path));
  options.known = recognize_model(path);
  return describe_pose_model(std::move(model), options);
}

std::string PoseTest::model_file(const std::string& name) {
  return shared_directory() + "/models/pose/" + name + ".tflite";
}

PoseModel PoseTest::load(const std::string& path, const PoseModelOptions& options) {
  return value_of(load_pose_model(path, options));
}

std::shared_ptr<const Plan> PoseTest::plan(const PoseModel& model) const {
  return value_of(Plan::build(model.model, device().limits, model.plan_options));
}

std::unique_ptr<PersonFinder> PoseTest::one_stage_finder(const PoseModel& model) {
  auto finder = make_one_stage_finder(group(), model, plan(model));
  EXPECT_TRUE(finder.ok()) << finder.status().message();
  return finder.ok() ? *std::move(finder) : nullptr;
}

UprightFrame PoseTest::frame_of(const std::string& picture) {
  const Rgba pixels = load_picture(picture);
  EXPECT_GT(pixels.width, 0) << picture;
  return frame_of(pixels);
}

UprightFrame PoseTest::frame_of(const Rgba& pixels) {
  textures_.push_back(upload(gl(), pixels));
  return {
      TextureRef{textures_.back().id(), GL_TEXTURE_2D, pixels.width, pixels.height}, {}, pixels.width, pixels.height};
}

Persons PoseTest::read(const BufferRange& range) const {
  return read_buffer<Persons>(gl(), {range.buffer, range.offset, sizeof(Persons)}).at(0);
}

void PersonFollowerTest::SetUp() {
  PoseTest::SetUp();
  if (HasFatalFailure()) return;
  auto follower = value_of(PersonFollower::create(group()));
  follower_.emplace(std::move(follower));
}

void PersonFollowerTest::TearDown() {
  follower_.reset();
  PoseTest::TearDown();
}

const std::shared_ptr<ShareGroup>& PoseTest::group() {
  if (!group_) group_ = ShareGroup::create(gl(), nullptr, element_shaders());
  return group_;
}

void PoseTest::TearDown() {
  textures_.clear();
  group_.reset();
  GlTest::TearDown();
}

}  // namespace sightglass::test
