// Runs pose models in a separate GL context: images in, people out.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "meta/persons.h"
#include "pose/person_finder.h"
#include "pose/pose_estimator.h"
#include "pose/pose_model.h"

namespace sightglass::test {

// A model as glpose loads it, with its metadata and its catalog entry.
Result<PoseModel> load_pose_model(const std::string& path, PoseModelOptions options);

class PoseTest : public GlTest {
 protected:
  // From ../shared/models/pose, without the extension.
  static std::string model_file(const std::string& name);
  static PoseModel load(const std::string& path, const PoseModelOptions& options = {});
  std::shared_ptr<const Plan> plan(const PoseModel& model) const;
  std::unique_ptr<PersonFinder> one_stage_finder(const PoseModel& model);
  // The image as a frame that lives as long as the test.
  UprightFrame frame_of(const std::string& picture);
  UprightFrame frame_of(const Rgba& picture);
  // Waits for the GPU.
  Persons read(const BufferRange& range) const;

  const std::shared_ptr<ShareGroup>& group();
  void TearDown() override;

 private:
  std::shared_ptr<ShareGroup> group_;
  std::vector<GlTexture> textures_;
};

class PersonFollowerTest : public PoseTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::optional<PersonFollower> follower_;
};

}  // namespace sightglass::test
