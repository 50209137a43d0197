// The guided filter (He, Sun, Tang: Guided Image Filtering, 2010): in a window round each pixel, the linear function of
// colour that is nearest to the mask there, a . colour + b. With S the covariance of colours and eps a regulariser,
//   (S + eps) a = cov(colour, mask),  b = mean(mask) - a . mean(colour).
// The window is 13 x 13 pixels, of which every other one counts: the guide has nothing finer.
#include "gl/compute.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_guide;  // colours in RGB, mask in A
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;  // a in RGB, b in A

const int kTaps = 3;  // to each side
const int kSpacing = 2;
const float kEpsilon = 1e-4;

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  // Moments about the pixel itself, whose numbers are small.
  vec4 centre = texelFetch(u_guide, position, 0);
  vec4 sum = vec4(0.0);
  vec3 with_mask = vec3(0.0), squares = vec3(0.0), products = vec3(0.0);
  for (int y = -kTaps; y <= kTaps; ++y) {
    for (int x = -kTaps; x <= kTaps; ++x) {
      vec4 s = texelFetch(u_guide, clamp(position + kSpacing * ivec2(x, y), ivec2(0), size - 1), 0) - centre;
      sum += s;
      with_mask += s.rgb * s.a;
      squares += s.rgb * s.rgb;
      products += s.rgb * s.gbr;  // RG, GB, BR
    }
  }
  float count = float((2 * kTaps + 1) * (2 * kTaps + 1));
  vec4 mean = sum / count;
  vec3 cov = with_mask / count - mean.rgb * mean.a;
  vec3 var = squares / count - mean.rgb * mean.rgb + kEpsilon;
  vec3 mixed = products / count - mean.rgb * mean.gbr;

  // The symmetric 3 x 3 matrix by its cofactors; eps keeps its determinant from 0.
  vec3 c0 = vec3(var.y * var.z - mixed.y * mixed.y, mixed.y * mixed.z - mixed.x * var.z, mixed.x * mixed.y - var.y * mixed.z);
  float c11 = var.x * var.z - mixed.z * mixed.z, c12 = mixed.x * mixed.z - var.x * mixed.y;
  float c22 = var.x * var.y - mixed.x * mixed.x;
  float determinant = dot(c0, vec3(var.x, mixed.x, mixed.z));
  vec3 a = vec3(dot(c0, cov), dot(vec3(c0.y, c11, c12), cov), dot(vec3(c0.z, c12, c22), cov)) / determinant;
  float b = centre.a + mean.a - dot(a, centre.rgb + mean.rgb);
  imageStore(u_output, position, vec4(a, b));
}
