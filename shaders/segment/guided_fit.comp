// The guided filter (He, Sun, Tang: Guided Image Filtering, 2010): in a window around each pixel, the linear function of
// color that is nearest to the mask there, a . color + b. With S the covariance of colors and eps a regularizer,
//   (S + eps) a = cov(color, mask),  b = mean(mask) - a . mean(color).
// There are two such functions:
// - In a window of 29 x 29 pixels, pixels count by how sure the model is of them. This function separates the colors of
//   the foreground from those of the background, even if the edge of the mask is not where that of the frame is. Its
//   regularizer follows the texture and noise within pixels of the guide, which it would enlarge.
// - In a window of 13 x 13 pixels, all pixels count equally. This function follows the mask more closely, and replaces
//   the first one where colors do not separate foreground and background: the first one then explains only part of the
//   variance of the mask.
// If the second one does not either, the mask stays (guided_bounds.comp). Every other pixel per axis counts, and every
// other function is computed. Windows beside each other share most of their pixels: an invocation moves them along a row.
#include "gl/compute.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_guide;  // colors in RGB, mask in A
layout(binding = kSurroundingsUnit) uniform sampler2D u_surroundings;  // variance within pixels of the guide in B
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;  // a in RGB; in A, b for colors less one half
layout(rgba16f, binding = 1) writeonly uniform highp image2D u_trust;  // in R: how far the function counts, in [0,1]

const int kSpacing = 2, kTaps = 7, kCloseTaps = 3;  // taps to each side
const float kEpsilon = 2e-5, kWithin = 0.05, kCloseEpsilon = 1e-4;
const float kLeastWeight = 1e-3;  // of a pixel of which the model is not sure
// Shares of the variance of the mask that a function explains: too small to count, and large enough.
const float kUnexplained = 0.6, kExplained = 0.95;
const float kCloseUnexplained = 0.6, kCloseExplained = 0.95;

// Sums over a window, of differences from a color and mask near it: those numbers are small.
struct Moments {
  float weights;
  vec4 first;
  vec3 with_mask, squares, products;  // of colors: with the mask, R R, G G, B B, and R G, G B, B R
  float mask_squares;
};

const Moments kNone = Moments(0.0, vec4(0.0), vec3(0.0), vec3(0.0), vec3(0.0), 0.0);

void add(inout Moments m, vec4 s, float weight) {
  vec4 weighted = weight * s;
  m.weights += weight;
  m.first += weighted;
  m.with_mask += weighted.rgb * s.a;
  m.squares += weighted.rgb * s.rgb;
  m.products += weighted.rgb * s.gbr;
  m.mask_squares += weighted.a * s.a;
}

// A pixel of a checkerboard, whose squares have functions in their middle, less `base`.
vec4 tap(ivec2 at, vec4 base) {
  ivec2 last = textureSize(u_guide, 0) - 1;
  return texelFetch(u_guide, clamp(kSpacing * at + ((at.x + at.y) & 1), ivec2(0), last), 0) - base;
}

// Adds a column of a window, or, with a factor of -1, takes it away.
void add_wide(inout Moments m, ivec2 at, vec4 base, float factor) {
  for (int y = -kTaps; y <= kTaps; ++y) {
    vec4 s = tap(at + ivec2(0, y), base);
    float sure = 2.0 * (s.a + base.a) - 1.0;
    sure *= sure;
    add(m, s, factor * (sure * sure * sure * sure + kLeastWeight));
  }
}

void add_close(inout Moments m, ivec2 at, vec4 base, float factor) {
  for (int y = -kCloseTaps; y <= kCloseTaps; ++y) add(m, tap(at + ivec2(0, y), base), factor);
}

// a, and b for differences from the base; `explained` becomes the share of the variance of the mask.
vec4 fit(Moments m, float epsilon, out float explained) {
  vec4 mean = m.first / m.weights;
  vec3 cov = m.with_mask / m.weights - mean.rgb * mean.a;
  vec3 var = max(m.squares / m.weights - mean.rgb * mean.rgb, 0.0) + epsilon;
  vec3 mixed = m.products / m.weights - mean.rgb * mean.gbr;
  // The symmetric 3 x 3 matrix by its cofactors; epsilon keeps its determinant from 0.
  vec3 c0 = vec3(var.y * var.z - mixed.y * mixed.y, mixed.y * mixed.z - mixed.x * var.z, mixed.x * mixed.y - var.y * mixed.z);
  float c11 = var.x * var.z - mixed.z * mixed.z, c12 = mixed.x * mixed.z - var.x * mixed.y;
  float c22 = var.x * var.y - mixed.x * mixed.x;
  float determinant = dot(c0, vec3(var.x, mixed.x, mixed.z));
  vec3 a = vec3(dot(c0, cov), dot(vec3(c0.y, c11, c12), cov), dot(vec3(c0.z, c12, c22), cov)) / determinant;
  const float kRounding = 1e-5;
  explained = (dot(a, cov) + kRounding) / (m.mask_squares / m.weights - mean.a * mean.a + kRounding);
  return vec4(a, mean.a - dot(a, mean.rgb));
}

void store_function(ivec2 position, Moments wide, Moments close, vec4 base) {
  ivec2 first = kSpacing * position, last = textureSize(u_guide, 0) - 1;
  float within = 0.0;
  for (int i = 0; i < 9; ++i) {
    within += texelFetch(u_surroundings, clamp(first + 4 * ivec2(i % 3 - 1, i / 3 - 1), ivec2(0), last), 0).b / 9.0;
  }
  float wide_share, close_share;
  vec4 wide_function = fit(wide, kEpsilon + kWithin * within, wide_share);
  vec4 close_function = fit(close, kCloseEpsilon, close_share);
  float wide_trust = smoothstep(kUnexplained, kExplained, wide_share);
  float close_trust = (1.0 - wide_trust) * smoothstep(kCloseUnexplained, kCloseExplained, close_share);
  vec4 result = mix(close_function, wide_function, wide_trust);
  // Half floats hold b more exactly about the middle of the range of colors.
  result.a += base.a - dot(result.rgb, base.rgb - 0.5);
  imageStore(u_output, position, result);
  imageStore(u_trust, position, vec4(wide_trust + close_trust, 0.0, 0.0, 1.0));
}

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy) * ivec2(kFunctionsPerInvocation, 1), size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec4 base = tap(position + ivec2(kFunctionsPerInvocation / 2, 0), vec4(0.0));
  Moments wide = kNone, close = kNone;
  float most = 0.0;
  for (int i = 0; i < min(kFunctionsPerInvocation, size.x - position.x); ++i) {
    // The last column is the one that leaves. If most of the sums has left, their rounding errors stay: then the whole
    // window is added up.
    bool whole = i == 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int x = whole ? -kTaps : kTaps; x <= (whole ? kTaps : kTaps + 1); ++x) {
        add_wide(wide, position + ivec2(i + (x > kTaps ? -kTaps - 1 : x), 0), base, x > kTaps ? -1.0 : 1.0);
      }
      if (whole || wide.weights > most / 16.0) break;
      whole = true;
      wide = kNone;
      most = 0.0;
    }
    most = max(most, wide.weights);
    for (int x = i == 0 ? -kCloseTaps : kCloseTaps; x <= (i == 0 ? kCloseTaps : kCloseTaps + 1); ++x) {
      add_close(close, position + ivec2(i + (x > kCloseTaps ? -kCloseTaps - 1 : x), 0), base,
                x > kCloseTaps ? -1.0 : 1.0);
    }
    store_function(position + ivec2(i, 0), wide, close, base);
  }
}
