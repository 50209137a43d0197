// Stores an output tightly packed: pixel by pixel, row by row, with adjacent channels. Quantized values are
// dequantized, integers converted to floats.
#define USES_A
#define WRITES_OUTPUT
#include "lib/tensor.glsl"

layout(local_size_x = kKernelInvocations) in;

layout(std140, binding = kParamsBlock) uniform Params {
  Tensor in_t;
  Tensor out_t;  // four values per pixel
  ivec4 count;   // number of values; 0; 0; 0
};

// The four channels that contain the value. `pixel` counts across all images of the batch.
vec4 load(int pixel, int channel) {
  int picture = quotient(pixel, in_t.place.z);
  int slice = picture * in_t.place.y + (channel >> 2);
  return vec4(real(in_t, load_a(in_t.place.x + slice * in_t.place.z + pixel - picture * in_t.place.z)));
}

void main() {
  int place = INVOCATION_X;
  if (place >= out_t.place.z) return;
  int channels = in_t.size.z, first = place * 4;
  vec4 v = vec4(0.0);
  if ((channels & 3) == 0) {
    int pixel = quotient(first, channels);
    v = load(pixel, first - pixel * channels);
  } else {
    for (int lane = 0; lane < 4 && first + lane < count.x; ++lane) {
      int pixel = quotient(first + lane, channels);
      int channel = first + lane - pixel * channels;
      v[lane] = load(pixel, channel)[channel & 3];
    }
  }
  store(out_t.place.x + place, v);
}
