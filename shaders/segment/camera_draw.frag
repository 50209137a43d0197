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

void main() {
  vec2 pixels = vec2(frame_place[0].w, frame_place[1].w);
  vec2 at = place_in_frame(v_place) * pixels;
  vec2 scale = max(abs(dFdx(at)) + abs(dFdy(at)), 1.0);
  // Pixels per fetch.
  vec2 step = max(ceil((4.0 * scale + 1.0) / float(kCameraTaps) - 0.001), 1.0);
  vec2 first = floor(at - 2.0 * scale) + 0.5;
  ivec2 taps = min(ivec2(ceil((4.0 * scale + 1.0) / step)), ivec2(kCameraTaps));
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = 0; y < taps.y; ++y) {
    float row = first.y + step.y * float(y), of_row = weight((row - at.y) / scale.y);
    if (of_row == 0.0) continue;
    for (int x = 0; x < taps.x; ++x) {
      float column = first.x + step.x * float(x), w = of_row * weight((column - at.x) / scale.x);
      if (w == 0.0) continue;
      sum += w * fetch_frame(vec2(column, row) / pixels);
      weights += w;
    }
  }
  o_color = sum / weights;
}
