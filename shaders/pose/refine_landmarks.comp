// Moves landmarks to the weighted center of the model's heatmaps around them, if those are confident (MediaPipe's
// refinement of landmarks from heatmaps).
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Landmarks { float landmarks[]; };  // x, y, z, visibility, presence of each
layout(std430, binding = 1) readonly buffer Heat { float heat[]; };            // logits: rows, columns, landmarks
layout(std430, binding = 2) writeonly buffer Refined { float refined[]; };
layout(std140, binding = kParamsBinding) uniform Refinement {
  ivec4 u_grid;   // columns, rows, landmarks
  vec4 u_pixels;  // pixels of the model input per cell: x, y
};

const int kReach = 3;  // cells on each side
const float kSure = 0.5;

void main() {
  int n = int(gl_LocalInvocationIndex);
  if (n >= u_grid.z) return;
  vec2 place = vec2(landmarks[5 * n], landmarks[5 * n + 1]);
  ivec2 middle = ivec2(floor(place / u_pixels.xy));
  ivec2 low = max(middle - kReach, ivec2(0)), high = min(middle + kReach, u_grid.xy - 1);
  vec3 sum = vec3(0.0);
  float most = 0.0;
  bool inside = all(greaterThanEqual(middle, ivec2(0))) && all(lessThan(middle, u_grid.xy));
  for (int y = low.y; y <= high.y && inside; ++y) {
    for (int x = low.x; x <= high.x; ++x) {
      float sure = 1.0 / (1.0 + exp(-heat[(y * u_grid.x + x) * u_grid.z + n]));
      sum += vec3(float(x), float(y), 1.0) * sure;
      most = max(most, sure);
    }
  }
  if (most >= kSure) place = sum.xy / sum.z * u_pixels.xy;
  refined[5 * n] = place.x;
  refined[5 * n + 1] = place.y;
  for (int i = 2; i < 5; ++i) refined[5 * n + i] = landmarks[5 * n + i];
}
