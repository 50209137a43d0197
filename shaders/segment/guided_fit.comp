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
// other function is computed. Windows beside each other share most of their pixels: an invocation moves one along a row.
//   WIDE  if defined, the large window, and the choice between both; otherwise, the small one. The sums of both would spill
//         registers of Mali and VideoCore GPUs.
#include "gl/compute.h"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(binding = 0) uniform sampler2D u_guide;  // colors in RGB, mask in A
layout(rgba16f, binding = 0) writeonly uniform highp image2D u_output;  // a in RGB; in A, b for colors less one half
layout(rgba16f, binding = 1) writeonly uniform highp image2D u_trust;  // in R: how far the function counts, in [0,1]

layout(std430, binding = kNoiseBlock) readonly buffer Noise { NOISE; };

const int kSpacing = 2;
#ifdef WIDE
layout(binding = kSurroundingsUnit) uniform sampler2D u_surroundings;  // variance within pixels of the guide in B
layout(binding = kCloseUnit) uniform sampler2D u_close;                // the results for small windows
layout(binding = kCloseTrustUnit) uniform sampler2D u_close_trust;
const int kTaps = 7;  // to each side
const float kEpsilon = 2e-5, kWithin = 0.05;
const float kLeastWeight = 1e-3;  // of a pixel of which the model is not sure
#else
const int kTaps = 3;
const float kEpsilon = 1e-4;
#endif
const float kNoiseShare = 1.0;  // of the variance of a pixel of the frame
// Shares of the variance of the mask that a function explains: too small to count, and large enough.
const float kUnexplained = 0.6, kExplained = 0.95;

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

// Of a pixel with this probability.
float weight_of(float mask) {
#ifdef WIDE
  float sure = 2.0 * mask - 1.0;
  sure *= sure;
  return sure * sure * sure * sure + kLeastWeight;
#else
  return 1.0;
#endif
}

// Adds a column of a window, or, with a factor of -1, takes it away.
void add_column(inout Moments m, ivec2 at, int taps, vec4 base, float factor) {
  for (int y = -taps; y <= taps; ++y) {
    vec4 s = tap(at + ivec2(0, y), base);
    add(m, s, factor * weight_of(s.a + base.a));
  }
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

// Variances of colors around a function, within pixels of the guide, count as noise, and so does the noise of the frame.
float epsilon_of(ivec2 position) {
  float noise = kNoiseShare * noise_sigma * noise_sigma;
#ifdef WIDE
  ivec2 first = kSpacing * position, last = textureSize(u_guide, 0) - 1;
  float within = 0.0;
  for (int i = 0; i < 9; ++i) {
    within += texelFetch(u_surroundings, clamp(first + 4 * ivec2(i % 3 - 1, i / 3 - 1), ivec2(0), last), 0).b / 9.0;
  }
  return kEpsilon + noise + kWithin * within;
#else
  return kEpsilon + noise;
#endif
}

void store_function(ivec2 position, Moments window, vec4 base) {
  float share;
  vec4 result = fit(window, epsilon_of(position), share);
  float trust = smoothstep(kUnexplained, kExplained, share);
  // Half floats hold b more exactly about the middle of the range of colors.
  result.a += base.a - dot(result.rgb, base.rgb - 0.5);
#ifdef WIDE
  result = mix(texelFetch(u_close, position, 0), result, trust);
  trust += (1.0 - trust) * texelFetch(u_close_trust, position, 0).r;
#endif
  imageStore(u_output, position, result);
  imageStore(u_trust, position, vec4(trust, 0.0, 0.0, 1.0));
}

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy) * ivec2(kFunctionsPerInvocation, 1), size = imageSize(u_output);
  if (any(greaterThanEqual(position, size))) return;
  vec4 base = tap(position + ivec2(kFunctionsPerInvocation / 2, 0), vec4(0.0));
  // kTaps, but unknown to compilers: with a column unrolled, its loads spill 87 registers of a VideoCore.
  int taps = kTaps * min(size.x, 1);
  Moments window = kNone;
  float most = 0.0;
  for (int i = 0; i < min(kFunctionsPerInvocation, size.x - position.x); ++i) {
    // The last column is the one that leaves. If most of the sums has left, their rounding errors stay: then the whole
    // window is added up.
    bool whole = i == 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
      for (int x = whole ? -kTaps : kTaps; x <= (whole ? kTaps : kTaps + 1); ++x) {
        add_column(window, position + ivec2(i + (x > kTaps ? -kTaps - 1 : x), 0), taps, base,
                   x > kTaps ? -1.0 : 1.0);
      }
      if (whole || window.weights > most / 16.0) break;
      whole = true;
      window = kNone;
      most = 0.0;
    }
    most = max(most, window.weights);
    store_function(position + ivec2(i, 0), window, base);
  }
}
