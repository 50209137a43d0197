// One color per class, distinct from those of classes with nearby indices; tests/gst/class_color.h computes the same.
vec4 class_color(int number) {
  float hue = fract(float(number) * 0.61803399 + 0.58);  // golden ratio steps
  vec3 ramp = clamp(abs(fract(hue + vec3(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
  float light = number % 2 == 0 ? 1.0 : 0.75;
  return vec4(mix(vec3(1.0), ramp, 0.75) * light, 1.0);
}
