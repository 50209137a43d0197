// Light on a point of the figure. Albedo is display-referred; the result is linear.
float head_shadow(vec3 place) {
  vec3 d = u_head[3].xyz - place;
  float ahead = dot(d, u_sun.xyz);
  float radius = 0.72 / u_head[0].w;
  float aside = length(d - u_sun.xyz * ahead);
  return ahead > 0.0 ? 1.0 - 0.75 * smoothstep(radius * 1.25, radius * 0.75, aside) : 1.0;
}

vec3 lit(vec3 albedo, vec3 normal, vec3 view, float shadow, float gloss) {
  float wrap = 0.25 + 0.4 * u_sun.w;
  float sun = max(0.0, (dot(normal, u_sun.xyz) + wrap) / (1.0 + wrap)) * shadow;
  vec3 ambient = mix(u_ground.rgb, u_sky.rgb, 0.5 + 0.5 * normal.y) * (0.72 + 0.28 * max(0.0, dot(normal, view)));
  float edge = 1.0 - max(0.0, dot(normal, view));
  vec3 rim = u_rim_color.rgb * max(0.0, dot(normal, u_rim.xyz) + 0.1) * edge * edge;
  vec3 light = ambient + u_sun_color.rgb * sun + rim;
  float shine = pow(max(0.0, dot(normal, normalize(u_sun.xyz + view))), 24.0) * shadow;
  return albedo * albedo * light + gloss * shine * u_sun_color.rgb + gloss * 0.25 * edge * edge * edge * u_sky.rgb;
}

vec3 displayed(vec3 linear) { return sqrt(1.0 - exp(-1.25 * linear)); }
