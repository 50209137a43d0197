// The region of hair on the head: positive inside, in half heads.
float hair_line(vec3 p) {
  float style = u_hair_more.z;
  float cover = style > 3.5 && style < 7.5 || style > 10.5 ? 0.16 : 0.0;  // over the ears
  float front = u_hair_shape.x - 0.42 * u_hair_shape.w - 0.25 * p.x * p.x - 0.16 * u_hair_more.x * p.x;
  float strands = 0.05 * (bumps(vec2(p.x * 14.0, p.z * 5.0), 3) - 0.5) * (0.3 + u_hair_shape.w);
  return p.y - mix(u_hair_more.y - cover, front, smoothstep(-0.38 + cover, 0.36 + cover, p.z)) + strands;
}

// Outside the face opening of a headscarf.
float cloth_line(vec3 p) {
  return p.z < 0.0 ? 1.0 : 0.5 * (length((p.xy - vec2(0.0, -0.17)) / vec2(0.55, 0.72)) - 1.0);
}
