// How glsegment composites a frame, and the matte that follows from a mask and a look.
#pragma once

#include <array>
#include <cstdint>

#include "sightglass/frame_ref.h"
#include "sightglass/input_transform.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

enum class Background : uint8_t { kBlur, kColor, kImage, kTransparent, kMask, kOverlay };

// The shape into which the blur spreads a point.
enum class Bokeh : uint8_t { kGaussian, kDisc };

// How pixels become foreground. Without a valid mask, the whole frame is one or the other.
enum class Coverage : uint8_t { kByMask, kAllBackground, kAllForeground };

// The settings that can change from frame to frame.
struct SegmentLook {
  Background background = Background::kBlur;
  float blur_radius = -1;   // frame pixels, 0 to kMaxBlurRadius; negative: by blur_strength
  float blur_strength = 8;  // percent of the frame height, 0 to kMaxBlurStrength
  Bokeh bokeh = Bokeh::kGaussian;
  bool dither = true;                         // adds half a step of noise to the blur, whose gradients would show bands
  std::array<float, 4> color{0, 0.5F, 0, 1};  // R G B A in [0,1], not premultiplied
  float threshold = 0.5F;                     // probability at which foreground and background are even, [0,1]
  bool islands = true;                        // keeps uncertain foreground far from any that the model is sure of
  bool fill_holes = false;                    // makes uncertain background that sure foreground encloses foreground
  bool main_person = false;                   // removes all people but one
  float smoothing = 0;                        // share of the previous mask, where it hardly differs, [0,1)
  bool motion = true;                         // moves the previous mask along with the image
  float softness = 0.5F;                      // width of the transition, as a difference of probabilities, [0,1]
  // Frame pixels over which the edge is spread, on each side; negative: inwards only. -kMaxFeather to kMaxFeather.
  float feather = 0;
  float edge_offset = 0;           // frame pixels by which the edge moves outwards; -kMaxEdgeOffset to kMaxEdgeOffset
  float light_wrap = 0;            // amount of light of a replaced background on foreground edges, [0,1]
  float match_colors = 0;          // how far the foreground is fitted to the colors of a new background, [0,1]
  float low_light = 0;             // how far dark frames become brighter, and their foreground free of noise, [0,1]
  bool despill = true;             // composites a replaced background with estimated colors of the foreground
  bool premultiply = false;        // multiplies the colors of the result by its alpha
  float overlay_opacity = 0.5F;    // opacity of class colors over the frame, [0,1]
  bool legend = true;              // lists the names of the classes
  float static_threshold = 0.02F;  // maximum change of an image that counts as static, [0,1]
  Coverage coverage = Coverage::kByMask;

  // Whether colors of the frame may change.
  bool grades() const { return match_colors > 0 || low_light > 0; }
};

inline constexpr float kMaxFeather = 64, kMaxEdgeOffset = 32, kMaxBlurStrength = 25;

// The mask and its mapping for shaders: shaders/segment/matte.glsl.
struct Matte {
  TextureRef mask;               // probability in R
  InputTransform mask_to_frame;  // upright
  float lower = 0, upper = 1;    // probabilities <= lower are background, >= upper foreground

  // The first six vectors of the uniform block SegmentLook.
  struct Block {
    std::array<float, 8> to_mask{}, from_mask{};
    std::array<float, 4> mask_bounds{}, range{};
    bool operator==(const Block&) const = default;
  };
  Block block() const;
};
Matte make_matte(const TextureRef& mask, const InputTransform& mask_to_upright, const SegmentLook& look);

// Whether pixels of an upright frame of that size are pixels of the stored one: true for the eight orientations, for
// whole frames and for parts of them.
bool is_exact(const InputTransform& upright_to_stored, int32_t width, int32_t height, const FrameRef& stored);

}  // namespace sightglass
