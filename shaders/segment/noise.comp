// Measures the noise of a frame, and how the light has changed, by medians over a grid of places, which edges and motion
// hardly change. One work group.
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = kGroupInvocations) in;
layout(binding = kLumaUnit) uniform sampler2D u_luma;  // segment/luma.comp
layout(std430, binding = kNoiseBlock) buffer Noise { NOISE; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_has_previous;  // x: 1 if there is a previous frame, otherwise 0
};

const int kPlaces = 32, kBins = 256;

// Counts of values, by kind: of Laplacians and changes by their square roots, which tell small values apart, and of what
// has multiplied lumas by its logarithm.
const int kLaplacian = 0, kChange = 1, kLight = 2, kLitChange = 3, kKinds = 4;
shared uint s_counts[kKinds * kBins];
// Per invocation, sums of the luma now and before, and of their squares and product, less those of a gray.
shared vec2 s_means[kGroupInvocations];
shared vec3 s_squares[kGroupInvocations];
shared float s_light;

void count(int kind, int bin) { atomicAdd(s_counts[kind * kBins + clamp(bin, 0, kBins - 1)], 1u); }

int root_bin(float value) { return int(sqrt(value) * float(kBins)); }

// The bins reach from a quarter of the light to four times as much.
float light_place(vec2 luma) { return (0.5 + 0.25 * log2(max(luma.r, 1e-4) / max(luma.g, 1e-4))) * float(kBins); }

// The bin, and the fraction of it, of the median of a kind.
float median(int kind) {
  const uint kHalf = uint(kPlaces * kPlaces / 2);
  float bin = 0.0;
  uint passed = 0u;
  for (int i = 0; i < kBins; ++i) {
    uint here = s_counts[kind * kBins + i];
    if (passed < kHalf) bin = float(i) + float(kHalf - passed) / float(max(here, 1u));
    passed += here;
  }
  return bin;
}

vec2 place_of(int i) { return (vec2(i % kPlaces, i / kPlaces) + 0.5) / float(kPlaces); }
vec3 luma_at(vec2 place) { return texelFetch(u_luma, ivec2(place * vec2(textureSize(u_luma, 0))), 0).rgb; }

// Zero for any plane. Of noise, its standard deviation is six times that of a pixel.
float laplacian(vec2 at) {
  vec2 size = max(vec2(frame_place[0].w, frame_place[1].w), 1.0);
  vec2 middle = floor(place_in_frame(at) * size) + 0.5;
  float sum = 0.0;
  for (int i = 0; i < 9; ++i) {
    vec2 d = vec2(i % 3 - 1, i / 3 - 1);
    vec2 weights = 3.0 * abs(d) - 2.0;
    sum += weights.x * weights.y * dot(fetch_frame((middle + d) / size).rgb, vec3(0.2126, 0.7152, 0.0722));
  }
  return sum;
}

float squared(float value) { return value * value; }

// Of the lumas of both frames: 1 if only the light differs.
float correlation() {
  vec2 mean = vec2(0.0);
  vec3 squares = vec3(0.0);
  for (int i = 0; i < int(kGroupInvocations); ++i) {
    mean += s_means[i];
    squares += s_squares[i];
  }
  mean /= float(kPlaces * kPlaces);
  squares = squares / float(kPlaces * kPlaces) - mean.xyx * mean.xyy;
  const float kFlat = 1e-4;  // variance of a frame that shows nothing
  return (squares.z + kFlat) / (sqrt(max(squares.x * squares.y, 0.0)) + kFlat);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  for (int i = lane; i < kKinds * kBins; i += int(kGroupInvocations)) s_counts[i] = 0u;
  barrier();
  vec2 mean = vec2(0.0);
  vec3 squares = vec3(0.0);
  for (int i = lane; i < kPlaces * kPlaces; i += int(kGroupInvocations)) {
    vec2 at = place_of(i);
    vec3 luma = luma_at(at);
    count(kLaplacian, root_bin(abs(laplacian(at))));
    count(kChange, root_bin(luma.b));
    count(kLight, int(light_place(luma.rg)));
    vec2 v = luma.rg - 0.5;
    mean += v;
    squares += v.xyx * v.xyy;
  }
  s_means[lane] = mean;
  s_squares[lane] = squares;
  barrier();
  if (lane == 0) s_light = median(kLight);
  float alike = correlation();
  barrier();
  // More exact than a bin: the mean of the places near the median.
  const float kNear = 2.0;  // bins
  mean = vec2(0.0);
  for (int i = lane; i < kPlaces * kPlaces; i += int(kGroupInvocations)) {
    vec2 luma = luma_at(place_of(i)).rg;
    mean += abs(light_place(luma) - s_light) < kNear ? luma : vec2(0.0);
  }
  s_means[lane] = mean;
  barrier();
  vec2 light = vec2(0.0);
  for (int i = 0; i < int(kGroupInvocations); ++i) light += s_means[i];
  float times = light.g > 0.0 ? light.r / light.g : 1.0;
  for (int i = lane; i < kPlaces * kPlaces; i += int(kGroupInvocations)) {
    vec2 luma = luma_at(place_of(i)).rg;
    count(kLitChange, root_bin(abs(luma.r - times * luma.g)));
  }
  barrier();
  if (lane != 0) return;
  const float kMedian = 0.6745, kMean = 0.7979;  // of the absolute value of a normal distribution with deviation 1
  float sigma = squared(median(kLaplacian) / float(kBins)) / kMedian / 6.0;
  float change = squared(median(kChange) / float(kBins)) / kMedian * kMean;
  float lit_change = squared(median(kLitChange) / float(kBins)) / kMedian * kMean;
  const float kSame = 0.05, kOther = 0.1;    // changes of most of the frame
  const float kUnlike = 0.6, kAlike = 0.85;  // correlations
  float same = max(1.0 - smoothstep(kSame, kOther, change), smoothstep(kUnlike, kAlike, alike));
  bool has_previous = u_has_previous.x > 0.5;
  noise_same = has_previous ? same : 0.0;
  const float kExplained = 0.5;  // of the changes of most of the frame, if the light has changed
  bool lit = noise_same > 0.0 && lit_change < kExplained * change;
  noise_light = lit ? times : 1.0;
  if (lit) change = lit_change;
  // Motion of the whole frame changes pixels, too: by more than their noise can, or at once.
  vec2 pixels = vec2(frame_place[0].w, frame_place[1].w) / vec2(textureSize(u_luma, 0));
  float area = abs(frame_place[0].x * frame_place[1].y - frame_place[0].y * frame_place[1].x) * pixels.x * pixels.y;
  float expected = kMean * sqrt(2.0) * sigma * inversesqrt(max(area, 1.0));
  const float kMost = 3.0, kAlways = 0.004, kRise = 1.05, kRiseBy = 0.0003;
  float before = has_previous && noise_change > 0.0 ? noise_change * kRise + kRiseBy : expected;
  noise_change = has_previous ? min(min(change, before), max(kMost * expected, kAlways)) : expected;
  noise_sigma = sigma;
}
