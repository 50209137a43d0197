// What segment/grade.comp stores, and segment/graded.glsl applies to colors.
//   grade_gains  of matched colors, per channel; A: the power of brightness
//   grade_tone   of matched colors: the brightness that contrast keeps, in X, and added contrast, in Y. Z: the share of
//                a new measurement in the grade, 0 before the first one
//   grade_match  what these were made of, smoothed: warmth, tint, the logarithm of the power, contrast
#define GRADE       \
  vec4 grade_gains; \
  vec4 grade_tone;  \
  vec4 grade_match

const vec3 kLumaWeights = vec3(0.2126, 0.7152, 0.0722);
