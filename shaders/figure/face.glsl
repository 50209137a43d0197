// The face, painted on the head and the nose. `p` is in half heads: x to the left of the figure, y up, z to the front.
float soft(float low, float high, float x) { return smoothstep(low, high, x); }

struct Face {
  vec3 albedo;
  float gloss, shade;
};

void paint_eye(inout Face face, vec2 p, float side) {
  float size = u_gaze.z;
  vec2 q = p - vec2(side * 0.30 * u_gaze.w, -0.03);
  float inner = q.x * side;
  face.shade *= 1.0 - 0.28 * exp(-dot(q / vec2(0.2, 0.13), q / vec2(0.2, 0.13)));
  float open = 1.0 - 0.93 * u_face.x - 0.25 * max(u_face.z - 0.3, 0.0);
  float width = 0.135 * size, height = 0.068 * size * open;
  float x = q.x / width;
  float arch = max(0.0, 1.0 - x * x);
  float upper = height * sqrt(arch) * 1.0 + 0.012 * inner / width * 0.5, lower = -height * 0.72 * arch;
  float inside = soft(0.0, 0.012, upper - q.y) * soft(0.0, 0.012, q.y - lower) * step(abs(x), 1.0);
  vec2 iris = q - vec2(0.05 * u_gaze.x, 0.022 * u_gaze.y + 0.004);
  float r = length(iris) / (0.056 * size);
  vec3 ball = mix(vec3(0.86, 0.84, 0.82), u_skin.rgb, 0.18) * (0.75 + 0.25 * soft(upper, upper - 0.05, q.y));
  ball = mix(ball, u_iris.rgb * (0.55 + 0.6 * soft(0.9, 0.3, r)), soft(1.08, 0.94, r));
  ball = mix(ball, vec3(0.02), soft(0.48, 0.4, r));
  ball = mix(ball, vec3(1.0), soft(0.016, 0.008, length(iris - vec2(0.018, 0.02))));
  face.albedo = mix(face.albedo, ball, inside);
  face.gloss = mix(face.gloss, 0.25, inside);
  float lash = soft(0.02 + 0.012 * u_marks.w, 0.004, abs(q.y - upper)) * soft(1.15, 0.95, abs(x));
  face.albedo = mix(face.albedo, u_skin.rgb * mix(0.3, 0.1, u_marks.w), lash * 0.85);
  float lid = soft(0.014, 0.0, abs(q.y - upper - 0.035 * size)) * soft(1.1, 0.7, abs(x));
  face.shade *= 1.0 - 0.25 * lid - 0.12 * soft(0.02, 0.0, abs(q.y - lower + 0.025)) * soft(1.0, 0.5, abs(x));
  float brow_x = inner / (0.19 * u_gaze.w);
  float brow_y = q.y - 0.185 - 0.03 * u_face.w - 0.035 * (1.0 - brow_x * brow_x) + 0.02 * brow_x;
  float thick = 0.030 * u_features.x * soft(1.15, 0.2, brow_x);
  float hairs = 0.7 + 0.3 * bumps(vec2(q.x * 90.0 + q.y * 60.0, q.y * 30.0), 31);
  float brow = soft(thick + 0.014, thick - 0.012, abs(brow_y)) * soft(-1.1, -0.85, brow_x) * soft(1.15, 0.9, brow_x);
  face.albedo = mix(face.albedo, mix(u_hair.rgb * 0.8, u_skin.rgb * 0.3, 0.3), brow * hairs * 0.9);
}

void paint_mouth(inout Face face, vec2 p) {
  float smile = u_face.z, width = 0.225 * (1.0 + 0.16 * smile), x = p.x / width;
  float arch = max(0.0, 1.0 - x * x);
  float line = -0.60 + 0.05 * smile * (x * x - 0.4) - 0.008 * cos(x * 9.0) * arch;
  float open = 0.085 * u_face.y * arch + 0.035 * max(0.0, smile - 0.45) * arch;
  float top = line + open * 0.35, bottom = line - open;
  float upper = 0.042 * u_features.z * sqrt(arch) * (1.0 - 0.22 * exp(-x * x * 30.0)), lower = 0.062 * u_features.z * arch;
  float y = p.y;
  float lips = soft(0.0, 0.012, top + upper - y) * soft(0.0, 0.014, y - bottom + lower) * soft(1.02, 0.95, abs(x));
  face.albedo = mix(face.albedo, u_lips.rgb * (y > line ? 0.86 : 1.0), lips * 0.9);
  face.gloss += 0.05 * lips;
  float gap = soft(0.0, 0.008, top - y) * soft(0.0, 0.008, y - bottom) * step(abs(x), 1.0);
  float teeth = soft(top - 0.05, top - 0.04, y) * soft(0.9, 0.7, abs(x));
  face.albedo = mix(face.albedo, mix(vec3(0.16, 0.05, 0.05), vec3(0.88, 0.86, 0.8), teeth), gap);
  face.shade *= 1.0 - 0.45 * soft(0.014, 0.0, abs(y - line)) * soft(1.1, 0.9, abs(x)) * (1.0 - gap);
  face.shade *= 1.0 - 0.2 * exp(-pow(p.x / 0.14, 2.0) - pow((y - line + lower + 0.04) / 0.03, 2.0));
  float fold = abs(abs(p.x) - 0.2 - (-0.38 - y) * 0.35);
  face.shade *= 1.0 - (0.1 + 0.22 * u_hair_more.w + 0.1 * max(0.0, smile)) * soft(0.035, 0.0, fold) * soft(-0.68, -0.55, y) * soft(-0.36, -0.42, y);
}

// Covers skin with a mask or a beard.
void paint_covers(inout Face face, vec3 p) {
  // Beards grow on jaw and chin, up to the ears, and around the mouth.
  float x = abs(p.x), low = -0.44 + 0.5 * soft(0.28, 0.60, x) - 0.1 * soft(0.22, 0.0, x);
  float jaw = soft(low + 0.10, low - 0.12, p.y) * soft(-0.3, 0.0, p.z);
  float lip = soft(0.055, 0.01, abs(p.y + 0.50 + 0.12 * x) - 0.012) * soft(0.30, 0.2, x);
  float mouth = soft(0.10, 0.19, length((p.xy + vec2(0.0, 0.615)) * vec2(0.62, 1.5)));
  float grows = max(jaw * mouth, lip);
  float hairs = rough(p.xy * vec2(40.0, 22.0) + p.z * 20.0, 41);
  face.albedo = mix(face.albedo, mix(u_skin.rgb * 0.55, u_hair.rgb, 0.5), grows * u_marks.y * (0.35 + 0.3 * hairs));
  float full = soft(0.25, 0.85, grows * (0.55 + 0.45 * u_marks.z) + 0.5 * (hairs - 0.5)) * step(0.01, u_marks.z);
  face.albedo = mix(face.albedo, mix(u_hair.rgb, u_skin.rgb * 0.6, 0.12) * (0.6 + 0.8 * hairs), full * 0.92);
  if (u_face_mask.w > 0.5) {
    float edge = -0.20 - 0.06 * abs(p.x) - 0.1 * soft(0.2, 0.6, abs(p.x));
    float cover = soft(edge + 0.01, edge - 0.01, p.y) * soft(-0.1, 0.05, p.z);
    float strap = soft(0.02, 0.012, abs(p.y + 0.26)) * soft(0.1, 0.3, abs(p.x));
    face.albedo = mix(face.albedo, u_face_mask.rgb * (0.9 + 0.1 * sin(p.y * 40.0)), max(cover, strap));
    face.shade = mix(face.shade, 1.0, cover);
    face.gloss *= 1.0 - cover;
  }
}

Face paint_face(vec3 p, bool nose) {
  Face face = Face(u_skin.rgb, 0.07, 1.0);
  float blotches = rough(p.xy * 5.0 + p.z * 3.0, 51);
  face.albedo *= 0.95 + 0.1 * blotches;
  vec2 cheek = vec2(abs(p.x) - 0.38, p.y + 0.27) / vec2(0.2, 0.17);
  face.albedo = mix(face.albedo, face.albedo * vec3(1.04, 0.88, 0.86), exp(-dot(cheek, cheek)) * (0.55 + 0.4 * u_marks.w));
  float spots = soft(0.72, 0.8, bumps(p.xy * 34.0, 52));
  face.albedo *= 1.0 - 0.25 * u_marks.x * spots * soft(0.5, 0.0, abs(p.y + 0.2));
  if (p.z > 0.0) {
    if (nose) {
      vec2 hole = vec2(abs(p.x) - 0.062 * u_features.w, p.y + 0.385 * u_features.y);
      face.shade *= 1.0 - 0.6 * soft(0.045, 0.02, length(hole * vec2(1.0, 1.6))) * soft(0.98, 0.85, p.z);
      face.shade *= 1.0 - 0.25 * soft(-0.33, -0.42, p.y);
      face.albedo = mix(face.albedo, face.albedo * vec3(1.03, 0.93, 0.9), soft(-0.1, -0.3, p.y));
    } else {
      paint_eye(face, p.xy, p.x < 0.0 ? -1.0 : 1.0);
      paint_mouth(face, p.xy);
      face.shade *= 1.0 - 0.22 * exp(-pow(p.x / 0.17, 2.0) - pow((p.y + 0.43) / 0.05, 2.0));
      float lines = u_hair_more.w * soft(0.3, 0.45, p.y) * soft(0.45, 0.2, abs(p.x)) * soft(0.75, 1.0, sin(p.y * 62.0 + p.x * 2.0));
      face.shade *= 1.0 - 0.15 * lines;
    }
  }
  paint_covers(face, p);
  return face;
}

// The head with hair, and objects that shade it.
vec3 paint_head(vec3 p, bool nose, out float gloss, out float shade) {
  Face face = paint_face(p, nose);
  float line = hair_line(p);
  float grown = nose || wears(Headwear_kScarf) ? 0.0 : smoothstep(-0.015, 0.05, line);
  float buzz = u_hair_more.z < 1.5 ? 0.72 + 0.28 * bumps(p.xy * 60.0 + p.z * 40.0, 63) : 1.0;
  gloss = mix(face.gloss, 0.02, grown);
  shade = face.shade * (nose ? 1.0 : mix(0.7, 1.0, smoothstep(-0.97, -0.81, p.y + 0.3 * p.z)));
  if (u_hair_shape.y > 0.03) shade *= 1.0 - 0.35 * smoothstep(-0.14, 0.0, line) * (1.0 - grown);
  if (wears(Headwear_kCap)) shade *= 1.0 - 0.4 * smoothstep(-0.05, 0.4, p.y) * step(0.0, p.z);
  float strand = bumps(vec2(atan(p.x, p.z + 0.1) * 26.0, length(p) * 3.0), 61);
  vec3 hair = mix(u_hair.rgb, u_hair_tip.rgb, 0.4 * strand) * (0.62 + 0.55 * strand);
  return mix(face.albedo, hair, grown * buzz);
}
