// Cubic B-spline interpolation with four bilinear fetches. It never overshoots, and its second derivative is
// continuous, so upsampling by any factor shows no grid. `image` needs a linear filter.
vec4 sample_bspline(sampler2D image, vec2 place) {
  vec2 size = vec2(textureSize(image, 0));
  vec2 texel = place * size - 0.5;
  vec2 f = fract(texel);
  vec2 g = 1.0 - f;
  vec2 w0 = g * g * g / 6.0;
  vec2 w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
  vec2 w3 = f * f * f / 6.0;
  vec2 upper = 1.0 - w0 - w1;
  vec2 low = (texel - f - 0.5 + w1 / (w0 + w1)) / size;
  vec2 high = (texel - f + 1.5 + w3 / upper) / size;
  return mix(mix(textureLod(image, low, 0.0), textureLod(image, vec2(high.x, low.y), 0.0), upper.x),
             mix(textureLod(image, vec2(low.x, high.y), 0.0), textureLod(image, high, 0.0), upper.x), upper.y);
}
