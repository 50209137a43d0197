// Opacity whose edge is moved and feathered, at half the frame's size.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gl/pass.h"
#include "segment/blur.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// How an edge changes, in frame pixels: it is moved first, then blurred.
struct EdgeShape {
  float offset = 0;  // outwards
  float radius = 0;  // blur radius: two standard deviations

  // `feather` is the width on each side of the edge or, if negative, only on its inner side.
  static EdgeShape of(float feather, float edge_offset);
  bool changes() const { return offset != 0 || radius > 0; }
};

class EdgeShaper {
 public:
  // The programs of create() in addition to Blur::programs(), to be built together with others.
  static std::vector<ProgramKey> programs();
  static Result<EdgeShaper> create(const std::shared_ptr<ShareGroup>& group);

  // Allocates for upright frames of width × height pixels.
  Status resize(int32_t width, int32_t height) { return blur_.resize(width, height); }
  bool is_ready() const { return blur_.is_ready(); }
  void release() { blur_.release(); }
  // Shapes the opacity that `first` computes of the upright frame. Requirements and result are those of Blur::run().
  TextureRef run(Pass& pass, const SharedProgram& first, const EdgeShape& shape);

 private:
  // The uniform block of the shader.
  struct Shift {
    std::array<float, 4> radius_and_sign{};
    bool operator==(const Shift&) const = default;
  };
  EdgeShaper(const GlApi& gl, Blur blur, SharedProgram program)
      : blur_(std::move(blur)), program_(std::move(program)), shift_(gl) {}

  Blur blur_;
  SharedProgram program_;
  UniformBlock<Shift> shift_;
};

}  // namespace sightglass
