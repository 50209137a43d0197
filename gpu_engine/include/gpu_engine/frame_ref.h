// A camera's frame in GL textures that somebody else owns, and how shaders/lib/frame.glsl gets to see it.
#pragma once

#include <array>
#include <cstdint>

#include "gpu_engine/color_matrix.h"
#include "gpu_engine/frame_kind.h"
#include "gpu_engine/gl_api.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// The textures are read with sampler objects of the reader's own: their parameters are neither used nor changed.
struct FrameRef {
  FrameKind kind = FrameKind::kRgba;
  std::array<GLuint, 3> textures{};  // as many as the kind has planes
  int32_t width = 0, height = 0;     // pixels, as stored; of the plane of Y where there are planes
  // The part that is to be seen, in fractions: least x and y, greatest x and y. Nothing outside of it is ever sampled.
  std::array<float, 4> visible{0, 0, 1, 1};
  ColorMatrix to_rgb;  // of the planes' samples; for kinds of planes alone
  // From a place in the frame to the same place in the planes of Cb and Cr, in fractions: scale x and y, offset x and
  // y.
  std::array<float, 4> chroma{1, 1, 0, 0};
  std::array<int32_t, 2> chroma_size{};  // of the planes of Cb and Cr; needed where `visible` is a part

  FrameRef() = default;
  // One texture of colours.
  FrameRef(const TextureRef& texture)  // NOLINT(google-explicit-constructor): every such texture is a frame
      : kind(texture.target == GL_TEXTURE_2D ? FrameKind::kRgba : FrameKind::kExternal),
        textures{texture.id},
        width(texture.width),
        height(texture.height) {}
};

// The uniform block Frame of shaders/lib/frame.glsl.
struct FrameBlock {
  std::array<float, 8> place{};  // rows of the map from the reader's fractions to the stored frame's
  std::array<float, 4> visible{};
  std::array<float, 4> centers{}, chroma_centers{};  // of the outermost samples that are to be seen, by plane
  std::array<float, 4> chroma{};
  std::array<float, 12> color{};
  bool operator==(const FrameBlock&) const = default;
};
inline constexpr GLuint kFrameBinding = 2;
FrameBlock frame_block(const FrameRef& frame, const InputTransform& reader_to_frame);

// Units of the frame's textures, by plane; those between belong to buffer textures in compute shaders, and to whatever
// else fragment shaders read.
inline constexpr GLuint kFirstFrameUnit = 0, kSecondFrameUnit = 7, kThirdFrameUnit = 8;
inline constexpr std::array<GLuint, 3> kFrameUnits{kFirstFrameUnit, kSecondFrameUnit, kThirdFrameUnit};
// Binds the frame's textures; the first one with the sampler `first`, the others with `others`. Leaves unit 0 active.
void bind_frame(const GlApi& gl, const FrameRef& frame, GLuint first, GLuint others);
// Unbinds textures and samplers of these units. Leaves unit 0 active.
void unbind_frame(const GlApi& gl, FrameKind kind);

}  // namespace sightglass
