#include "pose_case.h"

#include <cstring>
#include <utility>

#include "gl/shaders.h"
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
  Persons persons;
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, range.buffer);
  const void* data = gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, range.offset, sizeof(Persons), GL_MAP_READ_BIT);
  EXPECT_NE(data, nullptr);
  if (data != nullptr) std::memcpy(&persons, data, sizeof(Persons));
  gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  return persons;
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
