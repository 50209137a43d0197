// A camera frame in borrowed GL textures, and its parameters for shaders/lib/frame.glsl.
#pragma once

#include <array>
#include <cstdint>

#include "sightglass/color_matrix.h"
#include "sightglass/frame_kind.h"
#include "sightglass/gl_api.h"
#include "sightglass/input_transform.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// The engine reads the textures with its own sampler objects: it neither uses nor changes their parameters.
struct FrameRef {
  FrameKind kind = FrameKind::kRgba;
  std::array<GLuint, 3> textures{};  // one per plane of the kind
  int32_t width = 0, height = 0;     // pixels, as stored; of the Y plane if there are planes
  // The visible part, in fractions: minimum x and y, maximum x and y. Nothing outside of it is sampled.
  std::array<float, 4> visible{0, 0, 1, 1};
  ColorMatrix to_rgb;  // from plane samples; only for kinds with planes
  // Maps frame coordinates to coordinates in the Cb and Cr planes, in fractions: scale x and y, offset x and y.
  std::array<float, 4> chroma{1, 1, 0, 0};
  std::array<int32_t, 2> chroma_size{};  // of the Cb and Cr planes; required if `visible` is only a part

  FrameRef() = default;
  // One color texture.
  FrameRef(const TextureRef& texture)  // NOLINT(google-explicit-constructor): every such texture is a frame
      : kind(texture.target == GL_TEXTURE_2D ? FrameKind::kRgba : FrameKind::kExternal),
        textures{texture.id},
        width(texture.width),
        height(texture.height) {}
};

// The uniform block Frame of shaders/lib/frame.glsl.
struct FrameBlock {
  // Two rows of four: of the map from reader coordinates to stored-frame coordinates, in fractions, and the stored size
  // along that axis in pixels. With a size of 0, a reader takes one bilinear sample per pixel of its own.
  std::array<float, 8> place{};
  std::array<float, 4> visible{};
  std::array<float, 4> centers{}, chroma_centers{};  // of the outermost visible samples, per plane
  std::array<float, 4> chroma{};
  std::array<float, 12> color{};
  bool operator==(const FrameBlock&) const = default;
};
inline constexpr GLuint kFrameBinding = 2;
// Per axis, the bilinear fetches whose mean is a pixel of the model input.
inline constexpr int kMostFetches = 4;
FrameBlock frame_block(const FrameRef& frame, const InputTransform& reader_to_frame);

// The same for a reader of several parts of one frame (InputSpec::parts): after the block, which has the place of the
// first part, the place of each part.
struct FramePartsBlock {
  FrameBlock frame;
  std::array<std::array<float, 8>, kMostFrameParts> places{};
};

// Texture units of the frame, per plane. The units between belong to buffer textures in compute shaders, and to other
// textures in fragment shaders.
inline constexpr GLuint kFirstFrameUnit = 0, kSecondFrameUnit = 7, kThirdFrameUnit = 8;
inline constexpr std::array<GLuint, 3> kFrameUnits{kFirstFrameUnit, kSecondFrameUnit, kThirdFrameUnit};
// Binds the frame textures: the first one with the sampler `first`, the others with `others`. Leaves unit 0 active.
void bind_frame(const GlApi& gl, const FrameRef& frame, GLuint first, GLuint others);
// Unbinds the textures and samplers of these units. Leaves unit 0 active.
void unbind_frame(const GlApi& gl, FrameKind kind);

}  // namespace sightglass
