#include "detect/tracker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "detect/shaders.h"
#include "gl/compute.h"
#include "gl/pass.h"

namespace sightglass {

namespace {

// Tracks of the shader in std430 layout.
struct Track {
  std::array<float, 20> filter;
  std::array<int32_t, 2> id;
  std::array<float, 2> times;
};
constexpr GLsizeiptr kTracksBytes = 16 + kMaxTracks * static_cast<GLsizeiptr>(sizeof(Track));

}  // namespace

Result<Tracker> Tracker::create(const std::shared_ptr<ShareGroup>& group) {
  const std::array<ProgramKey, 1> keys{ProgramKey{kTrackShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  Tracker tracker(group->gl(), std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the buffers of a tracker"));
  return tracker;
}

Tracker::Tracker(const GlApi& gl, SharedProgram program) : gl_(&gl), program_(std::move(program)), block_(gl) {
  const std::vector<std::byte> nothing(kTracksBytes);
  tracks_ = make_storage(gl, kTracksBytes, nothing.data());
  const Detections none;
  tracked_ = make_storage(gl, sizeof(none), &none);
}

void Tracker::run(const BufferRange& detections, const TrackOptions& options) {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_,
                {{options.seconds, options.threshold, 0, 0}, {std::clamp(options.most, 0, kMaxDetections), 0, 0, 0}});
  pass.storage({detections, {tracks_.id(), 0, kTracksBytes}, tracked()});
  pass.dispatch(program_->id());
}

}  // namespace sightglass
