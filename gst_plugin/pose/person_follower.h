// Tracks the people found in a frame: adds IDs, boxes and smoothing over time, in shaders/pose/follow.comp.
#pragma once

#include <array>
#include <memory>

#include "gl/uniform_block.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

struct FollowOptions {
  float seconds = -1;    // since the previous frame; below 0: all people are new, only the ID counter continues
  float min_cutoff = 0;  // Hz; 0: points are not smoothed
  float beta = 0;        // Hz per person size per second
  float visibility = 0;  // this and presence: minimum for a point to count for the box of its person
  float presence = 0;
};

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do.
class PersonFollower {
 public:
  static Result<PersonFollower> create(const std::shared_ptr<ShareGroup>& group);

  // `found` is the result of a PersonFinder; the frame size is in pixels.
  void run(const BufferRange& found, int32_t width, int32_t height, const FollowOptions& options);
  // The complete buffer of Persons that run() wrote.
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
