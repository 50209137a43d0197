// Position of a work group, and of an invocation in it. Rows of groups longer than the device allows are folded: the
// rest continues in the next row along y, and the last row may be longer than needed. Not for shaders whose groups have
// more than one row of invocations.
//
// With FOLDED_LAYERS, columns of that many groups along z are folded in the same way, and rows are not. Groups past the
// last one repeat its work.
#ifdef FOLDED_LAYERS
#define GROUP_X int(gl_WorkGroupID.x)
#define GROUP_Z min(int(gl_WorkGroupID.y * gl_NumWorkGroups.z + gl_WorkGroupID.z), FOLDED_LAYERS - 1)
#else
#define GROUP_X int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define GROUP_Z int(gl_WorkGroupID.z)
#endif
#define INVOCATION_X (GROUP_X * int(gl_WorkGroupSize.x) + int(gl_LocalInvocationID.x))
#define INVOCATION_Z (GROUP_Z * int(gl_WorkGroupSize.z) + int(gl_LocalInvocationID.z))

// a / b for integers from 0 to 2^30, with b not 0. GPUs divide integers in long sequences, software renderers lane by
// lane. The float quotient is off by its rounding, that of the remainder by one at most.
int quotient(int a, int b) {
  float divisor = float(b);
  int q = int(float(a) / divisor);
  q += int(floor(float(a - q * b) / divisor));
  int rest = a - q * b;
  return q + int(rest >= b) - int(rest < 0);
}

int remainder(int a, int b) { return a - quotient(a, b) * b; }

// Coordinates of a pixel in rows of `width`.
ivec2 column_row(int pixel, int width) {
  int row = quotient(pixel, width);
  return ivec2(pixel - row * width, row);
}
