// Measures, over a grid of places, the brightness of the foreground and of the background that replaces the old one, and
// the light of both scenes. Moves the grade towards what makes the foreground fit, and what makes a dark frame bright. One
// work group.
//   REFINE  how the mask is refined: segment/opacity.glsl
#include "gl/compute.h"
#include "lib/frame.glsl"
#include "segment/opacity.glsl"
#include "segment/background.glsl"
#include "segment/grade.glsl"
#include "segment/noise.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = kNoiseBlock) readonly buffer Noise { NOISE; };
layout(std430, binding = kGradeBlock) buffer Grade { GRADE; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_grade;  // x: strength of matched colors; y: that of light for dark frames; z: seconds since the previous frame;
                 // w: 1 for the first frame
  uvec4 u_groups;  // of segment/denoise.comp, if there is any noise to remove
};

const int kPlaces = kGradeColumns * kGradeRows, kSums = 12;
const float kLeast = 0.01;  // share of the places that tells something
// Of each invocation: brightness, its square and weight, of the foreground and of the new background; warmth, tint and
// weight, of the frame and of the new background.
shared float s_sums[kSums * int(kGroupInvocations)];
shared float s_totals[kSums];
// Lumas of the foreground, in shares of 16, and of the frame.
const int kBins = 64;
shared uint s_front[kBins], s_frame[kBins];

vec3 brightness(vec3 color) {
  float luma = dot(color, kLumaWeights);
  return vec3(luma, luma * luma, 1.0);
}

// Half of the logarithm of red over blue, and that of green over both. Strong colors are those of things, rather than of
// the light, and pixels that are nearly black or white have lost theirs.
vec3 light(vec3 color) {
  vec3 logs = log(color + 0.02);
  vec2 chroma = vec2(0.5 * (logs.r - logs.b), logs.g - 0.5 * (logs.r + logs.b));
  const float kFalloff = 0.5 / (0.25 * 0.25);
  float luma = dot(color, kLumaWeights);
  return vec3(chroma, 1.0) * exp(-kFalloff * dot(chroma, chroma)) * 4.0 * luma * (1.0 - luma);
}

void store(int lane, int first, vec3 sums) {
  for (int i = 0; i < 3; ++i) s_sums[(first + i) * int(kGroupInvocations) + lane] = sums[i];
}

float sum_of(int index) {
  float sum = 0.0;
  for (int i = 0; i < int(kGroupInvocations); ++i) sum += s_sums[index * int(kGroupInvocations) + i];
  return sum;
}

vec3 total(int first) { return vec3(s_totals[first], s_totals[first + 1], s_totals[first + 2]); }

// Mean and standard deviation.
vec2 brightness_of(vec3 sums) {
  vec2 mean = sums.xy / max(sums.z, 1e-4);
  return clamp(vec2(mean.x, sqrt(max(mean.y - mean.x * mean.x, 0.0))), 0.02, 0.98);
}

// Without gray, the light counts as white.
vec2 light_of(vec3 sums) { return sums.xy / (sums.z + kLeast * float(kPlaces)); }

// What makes a front with this brightness fit: half of the way, within what skin bears.
vec4 match(vec2 front, vec2 behind, vec2 light, vec2 light_behind) {
  vec2 most = vec2(kMostWarmth, kMostTint);
  vec2 color = clamp(0.5 * (light_behind - light), -most, most);
  float power = 0.5 * log(log(behind.x) / log(front.x));
  float contrast = 0.5 * kContrastShare * log(behind.y / front.y);
  return vec4(color, clamp(power, -kMostBrighter, kMostDarker), clamp(contrast, -kMostContrast, kMostContrast));
}

// The luma below which is this share of a histogram: s_front or s_frame.
float luma_at(float share, bool front) {
  uint all = 0u;
  for (int i = 0; i < kBins; ++i) all += front ? s_front[i] : s_frame[i];
  float below = share * float(all), sum = 0.0, luma = 0.0;
  for (int i = 0; i < kBins; ++i) {
    float count = float(front ? s_front[i] : s_frame[i]);
    if (sum < below) luma = float(i) + clamp((below - sum) / max(count, 1.0), 0.0, 1.0);
    sum += count;
  }
  return luma / float(kBins);
}

// The bright parts decide, such as the face: dark clothes and a small lamp do not.
void store_light(float share) {
  const float kBright = 0.85, kNobody = 0.02;
  float frame = luma_at(kBright, false);
  float front = total(0).z < kNobody * float(kPlaces) ? frame : luma_at(kBright, true);
  float level = clamp(max(front, kFrameShare * frame), 0.02, kBrightEnough);
  float gain = kBrightEnough * (1.0 - level) / (level * (1.0 - kBrightEnough));
  float goal = u_grade.y * log(clamp(gain, 1.0, kMostGain));
  bool had_quiet = grade_light.y > 0.0 && noise_same > 0.5;
  gain = exp(mix(log(grade_light.x), goal, share));
  if (gain < 1.005) gain = 1.0;
  // A channel has more noise than luma, the mean of three. Frames without any are rounded.
  float sigma = max(noise_sigma / length(kLumaWeights), kLeastSigma);
  float quiet = noise_sigma > 0.0 ? clamp(2.0 * (gain - 1.0), 0.0, 1.0) : 0.0;
  grade_light = vec4(gain, quiet, sigma, had_quiet ? 1.0 : 0.0);
}

void store_match(float share) {
  vec3 front = total(0), behind = total(3);
  if (min(front.z, behind.z) < kLeast * float(kPlaces)) return;
  vec2 tone = brightness_of(front);
  float gain = grade_light.x, slope = 1.0 + (gain - 1.0) * tone.x;
  tone = vec2(lifted(tone.x, gain), tone.y * gain / (slope * slope));
  vec4 goal = u_grade.x * match(tone, brightness_of(behind), light_of(total(6)), light_of(total(9)));
  vec4 now = mix(grade_match, goal, share);
  vec3 gains = exp(vec3(now.x - now.y / 3.0, now.y / 1.5, -now.x - now.y / 3.0));
  float power = exp(now.z);
  grade_match = now;
  grade_gains = vec4(gains / dot(gains, kLumaWeights), power);
  grade_tone.xy = vec2(mix(grade_tone.x, pow(tone.x, power), share), now.w);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  for (int i = lane; i < kBins; i += int(kGroupInvocations)) {
    s_front[i] = 0u;
    s_frame[i] = 0u;
  }
  barrier();
  vec3 front = vec3(0.0), behind = vec3(0.0), light_here = vec3(0.0), light_behind = vec3(0.0);
  for (int i = lane; i < kPlaces; i += int(kGroupInvocations)) {
    vec2 place = (vec2(i % kGradeColumns, i / kGradeColumns) + 0.5) / vec2(kGradeColumns, kGradeRows);
    // The corner of four pixels: their mean has half of the noise.
    place = clamp(floor(place / u_frame_texel + 0.5) * u_frame_texel, 0.0, 1.0);
    vec4 color = fetch_frame(place_in_frame(place));
    float alpha = color.a * opacity(place, color.rgb);
    int bin = clamp(int(float(kBins) * dot(color.rgb, kLumaWeights)), 0, kBins - 1);
    atomicAdd(s_front[bin], uint(16.0 * alpha + 0.5));
    atomicAdd(s_frame[bin], 1u);
    front += alpha * brightness(color.rgb);
    if (u_grade.x > 0.0) {
      light_here += color.a * light(color.rgb);
      vec4 picture = background_picture(place);
      behind += picture.a * brightness(picture.rgb);
      light_behind += picture.a * light(picture.rgb);
    }
  }
  store(lane, 0, front);
  store(lane, 3, behind);
  store(lane, 6, light_here);
  store(lane, 9, light_behind);
  barrier();
  if (lane < kSums) s_totals[lane] = sum_of(lane);
  barrier();
  if (lane != 0) return;
  bool begins = u_grade.w > 0.5;
  if (begins) {
    grade_gains = vec4(1.0);
    grade_tone = vec4(0.0);
    grade_match = vec4(0.0);
  }
  if (begins || u_grade.y == 0.0) grade_light = vec4(1.0, 0.0, 0.0, 0.0);
  // After a cut, and at first, at once.
  float share = grade_tone.z == 0.0 ? 1.0 : mix(1.0, 1.0 - exp(-u_grade.z / kGradeSeconds), noise_same);
  if (u_grade.y > 0.0) store_light(share);
  if (u_grade.x > 0.0) store_match(share);
  if (u_grade.x == 0.0) grade_gains.a = 0.0;
  grade_tone.z = 1.0;
  grade_groups = grade_light.y > 0.0 ? u_groups : uvec4(0u);
}
