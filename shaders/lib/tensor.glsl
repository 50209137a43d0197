// Tensors in storage buffers. A tensor is a stack of slices; a slice holds four channels of every pixel, row by row:
// vec4 index = base + ((batch * slices + slice) * height + row) * width + column. Lanes past the last channel are zero.
//
// Binding points, the same for every kernel; a shader defines USES_A, USES_B, WRITES_OUTPUT (or READS_OUTPUT) and
// USES_CONSTANTS for those that it needs. 0, 1 and 2 are the same arena, seen as first input, second input and output.

struct Tensor {
  ivec4 size;   // width, height, channels, batch
  ivec4 place;  // base (in vec4), slices, width * height, 0
};

#ifdef USES_A
layout(std430, binding = 0) readonly buffer InputA { vec4 a_data[]; };
#endif
#ifdef USES_B
layout(std430, binding = 1) readonly buffer InputB { vec4 b_data[]; };
#endif
#if defined(READS_OUTPUT)
layout(std430, binding = 2) buffer Output { vec4 out_data[]; };
#elif defined(WRITES_OUTPUT)
layout(std430, binding = 2) writeonly buffer Output { vec4 out_data[]; };
#endif
#ifdef USES_CONSTANTS
layout(std430, binding = 3) readonly buffer Constants { vec4 c_data[]; };
#endif

int tensor_index(Tensor t, int batch, int slice, int y, int x) {
  return t.place.x + ((batch * t.place.y + slice) * t.size.y + y) * t.size.x + x;
}

// Keeps the lanes of `slice` that are channels, and zeroes the others.
vec4 mask_lanes(Tensor t, int slice, vec4 v) {
  ivec4 channel = ivec4(slice * 4) + ivec4(0, 1, 2, 3);
  return mix(vec4(0.0), v, lessThan(channel, ivec4(t.size.z)));
}
