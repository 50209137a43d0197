// What segment/grade.comp stores, and segment/graded.glsl applies to colors.
//   grade_gains  of matched colors, per channel; A: the power of brightness
//   grade_tone   of matched colors: the brightness that contrast keeps, in X, and added contrast, in Y. Z: 0 before the
//                first measurement
//   grade_match  what these were made of, smoothed: warmth, tint, the logarithm of the power, contrast
//   grade_light  X: the gain of black, 1 for none; Y: the share of colors without noise; Z: the standard deviation of
//                noise, per channel; W: 1 if the previous frame has such colors
//   grade_groups the work groups of segment/denoise.comp
#define GRADE       \
  vec4 grade_gains; \
  vec4 grade_tone;  \
  vec4 grade_match; \
  vec4 grade_light; \
  uvec4 grade_groups

const vec3 kLumaWeights = vec3(0.2126, 0.7152, 0.0722);

// A curve with this slope at black that ends in white, and nowhere else gets there. A gain of 1 changes nothing.
float lifted(float value, float gain) { return value * (gain / (1.0 + (gain - 1.0) * value)); }
