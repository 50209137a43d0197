// The color of the class at a position; A is 0 for class 0. Include draw/palette.glsl, segment/matte.glsl and
// segment/background.glsl first.
// Cubic B-spline weights make borders between texels of different classes smooth curves. A border is one frame pixel
// wide.

vec4 tint_of(int number) { return vec4(class_color(number).rgb, number == 0 ? 0.0 : 1.0); }

vec4 spline_weights(float f) {
  float g = 1.0 - f;
  vec4 w = vec4(g * g * g, 4.0 - 6.0 * f * f + 3.0 * f * f * f, 0.0, f * f * f) / 6.0;
  w.z = 1.0 - w.x - w.y - w.w;
  return w;
}

// Sixteen classes around a position, a byte each: as integers, they would not fit into the registers of some GPUs.
int class_at(uvec4 rows, int i) { return int(rows[i >> 2] >> uint(8 * (i & 3)) & 255u); }

vec4 class_tint(vec2 place) {
  ivec2 size = textureSize(u_background, 0);
  vec2 texel = mask_place(place) * vec2(size) - 0.5;
  ivec2 first = ivec2(floor(texel)) - 1;
  uvec4 rows = uvec4(0u);
  for (int i = 0; i < 16; ++i) {
    ivec2 at = clamp(first + ivec2(i & 3, i >> 2), ivec2(0), size - 1);
    rows[i >> 2] |= uint(texelFetch(u_background, at, 0).g * 255.0 + 0.5) << uint(8 * (i & 3));
  }
  int best = class_at(rows, 0), second = best;
  if (rows == uvec4(uint(best) * 0x01010101u)) return tint_of(best);

  vec4 across = spline_weights(fract(texel.x)), down = spline_weights(fract(texel.y));
  float most = -1.0, next = 0.0;
  for (int i = 0; i < 16; ++i) {
    int number = class_at(rows, i);
    if (number == best && most >= 0.0) continue;
    float sum = 0.0;
    for (int j = 0; j < 16; ++j) sum += class_at(rows, j) == number ? across[j & 3] * down[j >> 2] : 0.0;
    if (sum > most) {
      second = best;
      next = max(most, 0.0);
      best = number;
      most = sum;
    } else if (sum > next && number != best) {
      second = number;
      next = sum;
    }
  }
  // Across a straight border, the difference of both weights changes by 4/3 per texel.
  vec2 step_x = vec2(u_to_mask[0].x, u_to_mask[1].x) * u_frame_texel.x * vec2(size);
  vec2 step_y = vec2(u_to_mask[0].y, u_to_mask[1].y) * u_frame_texel.y * vec2(size);
  float texels = max(sqrt(0.5 * (dot(step_x, step_x) + dot(step_y, step_y))), 1e-4);  // per pixel
  float share = clamp(0.5 + 0.75 * (most - next) / texels, 0.5, 1.0);
  vec4 a = tint_of(best), b = tint_of(second);
  float alpha = mix(b.a, a.a, share);
  return vec4(mix(b.rgb * b.a, a.rgb * a.a, share) / max(alpha, 1e-4), alpha);
}
