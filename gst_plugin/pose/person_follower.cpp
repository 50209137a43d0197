#include "pose/person_follower.h"

#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "meta/persons.h"
#include "pose/shaders.h"

namespace sightglass {

namespace {

// Cutoff of the speed in the One-Euro filter in Hz, as chosen by its authors.
constexpr float kCutOffOfSpeed = 1;

// Tracks of the shader in std430 layout.
struct Filtered {
  std::array<float, 12> numbers;
};
struct Track {
  std::array<float, 4> box, motion;
  std::array<int32_t, 4> id;
  std::array<Filtered, 2 * kMaxKeyPoints> points;
};
constexpr GLsizeiptr kTracksBytes = 16 + kMaxPersons * static_cast<GLsizeiptr>(sizeof(Track));

}  // namespace

Result<PersonFollower> PersonFollower::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kFollowShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  PersonFollower follower(group->gl(), std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person tracker buffers"));
  return follower;
}

PersonFollower::PersonFollower(const GlApi& gl, SharedProgram program)
    : gl_(&gl), program_(std::move(program)), block_(gl) {
  const std::vector<std::byte> nobody(kTracksBytes);
  tracks_ = make_storage(gl, kTracksBytes, nobody.data());
  const Persons none;
  persons_ = make_storage(gl, sizeof(Persons), &none);
}

BufferRange PersonFollower::persons() const { return {persons_.id(), 0, sizeof(Persons)}; }

void PersonFollower::run(const BufferRange& found, int32_t width, int32_t height, const FollowOptions& options) {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_,
                {{options.seconds, options.min_cutoff, options.beta, kCutOffOfSpeed},
                 {static_cast<float>(width), static_cast<float>(height), options.visibility, options.presence}});
  pass.storage({found, {tracks_.id(), 0, kTracksBytes}, persons()});
  pass.dispatch(program_->id());
}

}  // namespace sightglass
