// The foreground color at a position where the frame mixes it with the background, by blur fusion:
//   F^ = blur(alpha I) / blur(alpha),  B^ = blur((1 - alpha) I) / blur(1 - alpha),
//   F = F^ + alpha (I - alpha F^ - (1 - alpha) B^)
// of the frame I, first with a wide blur, then with a narrow one of the first result. Source: Forte, Approximate Fast
// Foreground Colour Estimation, ICIP 2021.

// Converts blurred premultiplied colors to a mean. Without any weight, the color is never visible.
vec3 mean_color(vec4 weighted) { return weighted.rgb / max(weighted.a, 1e-4); }

vec3 foreground_color(vec3 mixed, float alpha, vec3 front, vec3 behind) {
  return clamp(front + alpha * (mixed - alpha * front - (1.0 - alpha) * behind), 0.0, 1.0);
}
