// Decides what the next run of the model samples, and writes that as the uniform block of lib/frame_block.glsl.
#include "gl/compute.h"
#include "gl/frame_part.glsl"
#include "segment/noise.glsl"
#include "segment/region.glsl"
#include "segment/shaders.h"

layout(local_size_x = 1) in;
layout(std430, binding = kRegionBlock) buffer Region { REGION; };
layout(std430, binding = kRegionPlaceBlock) writeonly buffer Place { vec4 frame_block[9]; };
layout(std430, binding = kRegionNoiseBlock) buffer Noise { NOISE; };
layout(std430, binding = kRegionWantedBlock) readonly buffer Wanted { uint model_wanted; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_looks;  // x: 1 to look at the whole frame; y: 1 if the model has to run; z: 1 in the first run for a frame;
                 // w: 1 in a run for a frame that has two
};

void main() {
  if (u_looks.z > 0.5) {
    bool cut = noise_same < 0.5;
    if (cut) {
      region_box = region_trial = kWholeFrame;
      region_active = region_rest = region_agreed = region_part_people = 0.0;
    }
    // In the frame after a cut, the model looks closer, and its previous mask is of no use.
    if (region_cut > 0.5) noise_same = 0.0;
    region_cut = cut ? 1.0 : 0.0;
  }
  bool looks = u_looks.x > 0.5;
  // Nobody needs a second look at a whole frame.
  vec4 part = region_box == kWholeFrame && u_looks.w > 0.5 ? region_trial : region_box;
  bool runs = model_wanted != 0u && (u_looks.y > 0.5 || part != kWholeFrame);
  region_runs = runs ? 1u : 0u;
  if (!runs) return;  // the mask stays that of the last sample
  region_sampled = looks ? kWholeFrame : part;
  vec2 size = region_sampled.zw - region_sampled.xy;
  STORE_FRAME_PART(frame_block, region_sampled.xy, vec2(size.x, 0.0), vec2(0.0, size.y));
}
