// The view of the camera, with a filter that neither blurs nor, where the output is smaller, aliases: Catmull-Rom, as
// wide as the pixels of the output.
#include "lib/frame.glsl"
#include "segment/shaders.h"

in vec2 v_place;
layout(location = 0) out vec4 o_color;

// Of a distance in pixels.
float weight(float x) {
  x = abs(x);
  if (x < 1.0) return (1.5 * x - 2.5) * x * x + 1.0;
  return x < 2.0 ? ((2.5 - 0.5 * x) * x - 4.0) * x + 2.0 : 0.0;
}

// Between pixels, `at` in pixels: each fetch in the middle of an axis stands for two pixels.
vec4 enlarged(vec2 at, vec2 pixels) {
  vec2 texel = floor(at - 0.5) + 0.5, f = at - texel;
  vec2 w1 = 1.0 + f * f * (1.5 * f - 2.5), w2 = f * (0.5 + f * (2.0 - 1.5 * f));
  vec2 weights[3] = vec2[3](f * (f * (1.0 - 0.5 * f) - 0.5), w1 + w2, f * f * (0.5 * f - 0.5));
  vec2 places[3] = vec2[3](texel - 1.0, texel + w2 / (w1 + w2), texel + 2.0);
  vec4 sum = vec4(0.0);
  for (int i = 0; i < 9; ++i) {
    int x = i % 3, y = i / 3;
    float w = weights[x].x * weights[y].y;
    if (w != 0.0) sum += w * fetch_frame(vec2(places[x].x, places[y].y) / pixels);
  }
  return sum;
}

// The same over `scale` pixels per axis.
vec4 reduced(vec2 at, vec2 pixels, vec2 scale) {
  // Pixels per fetch.
  vec2 step = max(ceil((4.0 * scale + 1.0) / float(kCameraTaps) - 0.001), 1.0);
  vec2 first = floor(at - 2.0 * scale) + 0.5;
  ivec2 taps = min(ivec2(ceil((4.0 * scale + 1.0) / step)), ivec2(kCameraTaps));
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = 0; y < taps.y; ++y) {
    float row = first.y + step.y * float(y), of_row = weight((row - at.y) / scale.y);
    for (int x = 0; x < taps.x && of_row != 0.0; ++x) {
      float column = first.x + step.x * float(x), w = of_row * weight((column - at.x) / scale.x);
      if (w == 0.0) continue;
      sum += w * fetch_frame(vec2(column, row) / pixels);
      weights += w;
    }
  }
  return sum / weights;
}

void main() {
  vec2 pixels = vec2(frame_place[0].w, frame_place[1].w);
  vec2 at = place_in_frame(v_place) * pixels;
  vec2 scale = max(abs(dFdx(at)) + abs(dFdy(at)), 1.0);
  bool enlarges = max(scale.x, scale.y) < 1.001;
  o_color = enlarges ? enlarged(at, pixels) : reduced(at, pixels, scale);
}
