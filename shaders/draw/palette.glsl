// A color of the rainbow; `hue` 0: red, 1/3: green.
vec3 rainbow(float hue) {
  return clamp(abs(fract(hue + vec3(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
}

const float kGoldenRatio = 0.61803399;

// One color per class, distinct from those of classes with nearby indices; tests/gst/class_color.h computes the same.
vec4 class_color(int number) {
  float hue = fract(float(number) * kGoldenRatio + 0.58);
  float light = number % 2 == 0 ? 1.0 : 0.75;
  return vec4(mix(vec3(1.0), rainbow(hue), 0.75) * light, 1.0);
}

// One color per track ID, from 1 on, which is green, as are those without one.
vec4 track_color(int id) {
  float hue = float(max(id, 1) - 1) * kGoldenRatio + 1.0 / 3.0;
  return vec4(mix(vec3(1.0), rainbow(fract(hue)), 0.9), 1.0);
}
