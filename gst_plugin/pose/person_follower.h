// From the persons found in a frame to those told to others: ids, boxes and smoothing over time, in
// shaders/pose/follow.comp.
#pragma once

#include <array>
#include <memory>

#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

struct FollowOptions {
  float seconds = -1;    // since the frame before; below 0: everybody is new, and only ids go on
  float min_cutoff = 0;  // Hz; 0: points are not smoothed
  float beta = 0;        // Hz by sizes of the person in a second
  float visibility = 0;  // with presence: what a point needs to count for its person's box
  float presence = 0;
};

// All calls, the destructor included, need the context current. GL state after every call is as the engine's sessions
// leave it.
class PersonFollower {
 public:
  static Result<PersonFollower> create(const std::shared_ptr<ShareGroup>& group);

  // `found` is what a PersonFinder leaves; the frame's size is in pixels.
  void run(const BufferRange& found, int32_t width, int32_t height, const FollowOptions& options);
  // A buffer of Persons, complete: what run() wrote.
  BufferRange persons() const;

 private:
  struct Block {  // Follow of the shader
    std::array<float, 4> filter{}, frame{};
    bool operator==(const Block&) const = default;
  };
  PersonFollower(const GlApi& gl, SharedProgram program);

  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer tracks_, persons_;
};

}  // namespace sightglass
