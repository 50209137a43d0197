// Shirt, trousers and coat on the torso. `c` is in the axes of the chest, relative to the pit of the neck, in meters.

// The neck opening: approximate distance to its edge, negative inside.
float neck_opening(vec3 c) {
  int kind = int(u_shirt[2].x);
  float depth = u_shirt[2].y;
  if (c.z < -0.01) return (length(vec2(c.x / 0.08, (c.y - 0.05) / 0.07)) - 1.0) * 0.07;
  if (kind == Neckline_kV) return max(abs(c.x) - 0.075 * clamp((c.y + depth) / depth, 0.0, 1.2), -c.y - depth);
  if (kind == Neckline_kCollar) return max(abs(c.x) - 0.5 * clamp(c.y + depth + 0.02, 0.0, 0.1), -(c.y + depth + 0.02));
  if (kind == Neckline_kStraps) {
    return max(-(c.y + depth + 0.8 * c.x * c.x), 0.014 - abs(abs(c.x) - u_shirt[2].z * 0.55));
  }
  vec2 size = kind == Neckline_kWide ? vec2(u_shirt[2].z * 0.72, depth + 0.04) : vec2(0.078, depth + 0.035);
  return (length(vec2(c.x, c.y - 0.04) / size) - 1.0) * 0.065;
}

// Buttons, tie, drawstrings and print of a shirt.
vec3 trimmed(vec3 color, vec3 c, inout float gloss) {
  int kind = int(u_shirt[2].x);
  vec2 q = (c.xy + vec2(0.0, 0.17)) / vec2(0.09, 0.07);
  bool printed = u_shirt[0].w == float(Pattern_kPlain) && u_shirt[1].w > 34.0 && max(abs(q.x), abs(q.y)) < 1.0;
  if (printed) color = mix(color, u_print.rgb, step(0.45, rough(q * 2.5 + 5.0, 71)));
  if (kind == Neckline_kCollar) {
    color *= 1.0 - 0.25 * smoothstep(0.003, 0.0, abs(abs(c.x) - 0.016));
    float button = smoothstep(0.006, 0.004, length(vec2(c.x, fract(c.y / 0.085) * 0.085 - 0.04)));
    color = mix(color, vec3(0.85), button * 0.8);
    if (u_tie.w > 0.5) {
      bool knot = c.y > -0.045;
      float tie = smoothstep(0.002, -0.002, abs(c.x) - (knot ? 0.02 : 0.014 + 0.10 * clamp(-c.y - 0.04, 0.0, 0.3)));
      color = mix(color, u_tie.rgb * (0.8 + 0.2 * band((c.x + c.y) * 30.0, 0.5)) * (knot ? 0.85 : 1.0), tie);
      gloss = mix(gloss, 0.08, tie);
    }
  }
  float cord = smoothstep(0.005, 0.002, abs(abs(c.x) - 0.035 - 0.01 * sin(c.y * 30.0))) * step(-0.16, c.y);
  if (kind == Neckline_kHood) color = mix(color, vec3(0.9) * (0.5 + 0.5 * u_shirt[1].rgb), cord);
  return color;
}

vec3 torso(bool coat, vec3 c, vec2 place, inout float gloss, inout float shade, inout float kept, inout vec2 slope) {
  shade *= mix(0.75, 1.0, smoothstep(0.03, -0.06, c.y - 0.2 * abs(c.x)));
  float hem = u_coat[2].y * 1.6;
  bool below = place.y < hem;
  vec4 a = coat ? u_coat[0] : below ? u_trousers[0] : u_shirt[0];
  vec4 b = coat ? u_coat[1] : below ? u_trousers[1] : u_shirt[1];
  vec3 albedo = pattern(a, b, place);
  if (coat) {
    bool jacket = int(u_coat[2].x) == Outer_kJacket;
    float open = jacket ? clamp(0.055 + 0.17 * (c.y + 0.05), 0.0, 0.085)
                        : u_coat[2].y + 0.06 * smoothstep(0.0, -0.4, c.y);
    float side = abs(c.x) - open;
    if (c.z > -0.02 && side < 0.0 || c.y > 0.012 && length(c.xz) < 0.085) discard;
    float lapel = jacket ? 0.06 + 0.25 * (c.y + 0.14) : 0.012;
    if (c.z > 0.0 && side < lapel) albedo *= jacket ? 1.18 : 0.8;
    if (c.z > 0.0) albedo *= 1.0 - 0.45 * smoothstep(0.004, 0.0, abs(side - lapel));
    return albedo;
  }
  if (below) return albedo * (place.y > hem - 0.035 ? 0.6 : 1.0);
  if (c.z > 0.0) albedo = trimmed(albedo, c, gloss);
  if (u_coat[2].x > 0.5) albedo *= 0.85;
  float opening = neck_opening(c);
  if (opening < 0.0) {
    float bone = smoothstep(0.012, 0.0, abs(c.y + 0.012 + 0.25 * abs(c.x) * (abs(c.x) - 0.12))) * step(0.02, abs(c.x));
    shade *= (1.0 - 0.2 * smoothstep(-0.012, 0.0, opening)) * (1.0 - 0.12 * bone);
    albedo = u_skin.rgb * (0.97 + 0.03 * kept);
    gloss = 0.05;
    kept = 1.0;
    slope = vec2(0.0);
    return albedo;
  }
  float hemmed = step(u_shirt[2].x, float(Neckline_kWide) + 0.5);
  return albedo * (1.0 - 0.22 * smoothstep(0.014, 0.010, opening) * hemmed * step(0.003, opening));
}
