// Landmarks2TransformMatrix: the matrix from a rotated crop around some landmarks to their image. One invocation
// computes everything.
#define USES_A
#define WRITES_OUTPUT
#define USES_CONSTANTS
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;      // a landmark is a pixel
  Tensor matrix_t;  // a row is a pixel
  ivec4 places;     // left and right landmark, position of the constants with the landmarks to include, number of these
  vec4 rotation;    // of the line from left to right in the crop; 0 if left and right are interchangeable
  vec4 crop;        // scale of the crop relative to the box around the landmarks, its size in its own pixels
  vec4 pixels;      // of the image, in the unit of the landmarks: x, y
};

vec2 landmark(int i) { return load_a(in_t.place.x + i).xy; }

void main() {
  if (gl_GlobalInvocationID.x != 0u) return;
  vec2 line = landmark(places.y) - landmark(places.x);
  if (rotation.y == 0.0 && line.x < 0.0) line = -line;
  float angle = (line == vec2(0.0) ? 0.0 : atan(line.y, line.x)) - rotation.x;
  mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));

  vec2 least = vec2(3.402823466e+38), most = vec2(-3.402823466e+38);
  for (int i = 0; i < places.w; ++i) {
    vec4 four = load_bias(places.z + i);
    for (int lane = 0; lane < 4; ++lane) {
      vec2 at = landmark(int(four[lane])) * turn;  // from the left: rotated back
      least = min(least, at);
      most = max(most, at);
    }
  }
  vec2 size = (most - least) * crop.xy;
  vec2 corner = turn * ((least + most) * 0.5 - size * 0.5);
  vec2 step = size / crop.zw;
  vec2 column = turn * vec2(step.x, 0.0) * pixels.xy, row = turn * vec2(0.0, step.y) * pixels.xy;
  corner *= pixels.xy;
  store(matrix_t.place.x, vec4(column.x, row.x, 0.0, corner.x));
  store(matrix_t.place.x + 1, vec4(column.y, row.y, 0.0, corner.y));
  store(matrix_t.place.x + 2, vec4(0.0, 0.0, 1.0, 0.0));
  store(matrix_t.place.x + 3, vec4(0.0, 0.0, 0.0, 1.0));
}
