// Cloth and its patterns; `place` is in meters.
float band(float x, float share) {
  float w = max(fwidth(x), 1e-4);
  float f = abs(fract(x) - 0.5);
  return smoothstep(0.5 * share - w, 0.5 * share + w, f);
}

vec3 pattern(vec4 a, vec4 b, vec2 place) {
  vec2 p = place * b.w;
  int kind = int(a.w);
  if (kind == Pattern_kStripes) return mix(b.rgb, a.rgb, band(p.x, 0.4));
  if (kind == Pattern_kBands) return mix(b.rgb, a.rgb, band(p.y, 0.5));
  if (kind == Pattern_kChecks) {
    float lines = 0.5 * band(p.x * 0.6, 0.4) + 0.5 * band(p.y * 0.6, 0.4);
    return mix(b.rgb, a.rgb, lines) * (0.9 + 0.1 * band(p.x * 0.6 + 0.3, 0.07));
  }
  if (kind == Pattern_kDots) return mix(b.rgb, a.rgb, smoothstep(0.25, 0.32, length(fract(p * 0.7) - 0.5)));
  vec4 n = noise(p * 0.36, 6);
  if (kind == Pattern_kPrint) return mix(a.rgb, mix(b.rgb, u_print.rgb, n.g), smoothstep(0.5, 0.56, n.r));
  if (kind == Pattern_kCamouflage) {
    return mix(mix(a.rgb, b.rgb * 0.6, step(0.5, n.r)), u_print.rgb * 0.5, step(0.6, n.g));
  }
  if (kind == Pattern_kKnit) {
    float stitches = abs(sin(place.x * 320.0)) * abs(sin(place.y * 260.0 + sin(place.x * 320.0)));
    return a.rgb * (0.82 + 0.18 * stitches);
  }
  return a.rgb;
}

// Folds: how much light they let through, and how they bend the normal.
float folds(vec2 place, out vec2 slope) {
  vec4 n = noise(place * vec2(13.0, 9.0), 21);
  slope = n.ba;
  return 0.86 + 0.28 * n.r;
}
