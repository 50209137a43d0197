// Tensors in storage buffers. A tensor is a stack of slices. A slice has four channels of every pixel, row by row:
// index = base + ((batch * slices + slice) * height + row) * width + column. Lanes past the last channel are zero.
//
// A shader defines USES_A, USES_B, WRITES_OUTPUT (or READS_OUTPUT) and USES_CONSTANTS for the blocks that it needs.
//
// Storage of four channels of a pixel, by binding: a vec4, packed 16-bit floats (A_F16, B_F16, OUT_F16), or an ivec4
// (A_I32, B_I32, OUT_I32). The arithmetic is the same: kernels use vec4 or ivec4 through load_a(), load_b(), store().

#include "lib/grid.glsl"
#include "kernel/kernel_interface.h"

struct Tensor {
  ivec4 size;   // width, height, channels, batch
  ivec4 place;  // base (in elements of its storage), slices, width * height, 0
  vec4 quant;   // real = x * stored; y: 1 / x, or 0 if not quantized; z, w: lowest and highest stored value
};

// Precision of data and weights, and so of their products. With HALF_PRODUCTS, compilers may calculate in 16 bits.
#ifdef HALF_PRODUCTS
#define FACTOR mediump
#else
#define FACTOR highp
#endif

FACTOR vec4 unpack4(uvec2 p) { return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y)); }
uvec2 pack4(vec4 v) {
  v = clamp(v, -65504.0, 65504.0);  // range of a 16-bit float
  return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));
}

// With BUFFER_TEXTURES, reads use buffer textures over the same memory, one per element type.

#ifdef USES_A
#if defined(A_I32)
#define A_VALUE ivec4
#else
#define A_VALUE vec4
#endif
#if defined(BUFFER_TEXTURES)
#if defined(A_F16)
layout(binding = kArenaFloat16Unit) uniform FACTOR samplerBuffer a_data;
#elif defined(A_I32)
layout(binding = kArenaInt32Unit) uniform highp isamplerBuffer a_data;
#else
layout(binding = kArenaFloat32Unit) uniform highp samplerBuffer a_data;
#endif
FACTOR A_VALUE load_a(int i) { return texelFetch(a_data, i); }
#elif defined(A_F16)
layout(std430, binding = kInputABlock) readonly buffer InputA { uvec2 a_data[]; };
FACTOR vec4 load_a(int i) { return unpack4(a_data[i]); }
#else
layout(std430, binding = kInputABlock) readonly buffer InputA { A_VALUE a_data[]; };
A_VALUE load_a(int i) { return a_data[i]; }
#endif
#endif

#ifdef USES_B
#if defined(B_I32)
#define B_VALUE ivec4
#else
#define B_VALUE vec4
#endif
#if defined(BUFFER_TEXTURES)
#if defined(B_F16)
layout(binding = kArenaFloat16Unit) uniform highp samplerBuffer b_data;
#elif defined(B_I32)
layout(binding = kArenaInt32Unit) uniform highp isamplerBuffer b_data;
#else
layout(binding = kArenaFloat32Unit) uniform highp samplerBuffer b_data;
#endif
B_VALUE load_b(int i) { return texelFetch(b_data, i); }
#elif defined(B_F16)
layout(std430, binding = kInputBBlock) readonly buffer InputB { uvec2 b_data[]; };
vec4 load_b(int i) { return unpack4(b_data[i]); }
#else
layout(std430, binding = kInputBBlock) readonly buffer InputB { B_VALUE b_data[]; };
B_VALUE load_b(int i) { return b_data[i]; }
#endif
#endif

#if defined(READS_OUTPUT)
#define OUTPUT_ACCESS
#define HAS_OUTPUT
#elif defined(WRITES_OUTPUT)
#define OUTPUT_ACCESS writeonly
#define HAS_OUTPUT
#endif
#ifdef HAS_OUTPUT
#ifdef OUT_I32
#define OUT_VALUE ivec4
#else
#define OUT_VALUE vec4
#endif
#if defined(OUT_F16)
layout(std430, binding = kOutputBlock) OUTPUT_ACCESS buffer Output { uvec2 out_data[]; };
void store(int i, vec4 v) { out_data[i] = pack4(v); }
#ifdef READS_OUTPUT
vec4 load_output(int i) { return unpack4(out_data[i]); }
#endif
#else
layout(std430, binding = kOutputBlock) OUTPUT_ACCESS buffer Output { OUT_VALUE out_data[]; };
void store(int i, OUT_VALUE v) { out_data[i] = v; }
#ifdef READS_OUTPUT
OUT_VALUE load_output(int i) { return out_data[i]; }
#endif
#endif
#endif

// Weights are 32-bit floats, 16-bit floats (WEIGHTS_F16) or bytes (WEIGHTS_I8), four per element; biases and slopes are
// always 32-bit floats. With WEIGHTS_OFFSET, `constants.w` of the parameters must be added to bytes: bytes range from
// -128 to 127, but uint8 values minus their zero point z range from -z to 255 - z.
#ifdef USES_CONSTANTS
#if defined(BUFFER_TEXTURES)
layout(binding = kWeightsFloat32Unit) uniform highp samplerBuffer c_data;
vec4 load_bias(int i) { return texelFetch(c_data, i); }
#elif defined(WEIGHTS_I8)
layout(std430, binding = kConstantsBlock) readonly buffer Constants { uint c_data[]; };
vec4 load_bias(int i) {
  return uintBitsToFloat(uvec4(c_data[4 * i], c_data[4 * i + 1], c_data[4 * i + 2], c_data[4 * i + 3]));
}
#elif defined(WEIGHTS_F16)
layout(std430, binding = kConstantsBlock) readonly buffer Constants { uvec2 c_data[]; };
vec4 load_bias(int i) { return vec4(uintBitsToFloat(c_data[2 * i]), uintBitsToFloat(c_data[2 * i + 1])); }
#else
layout(std430, binding = kConstantsBlock) readonly buffer Constants { vec4 c_data[]; };
vec4 load_bias(int i) { return c_data[i]; }
#endif
#if defined(BUFFER_TEXTURES)
#if defined(WEIGHTS_I8)
layout(binding = kWeightsInt8Unit) uniform highp isamplerBuffer weight_data;
FACTOR vec4 stored_weight(int i) { return vec4(texelFetch(weight_data, i)); }
#elif defined(WEIGHTS_F16)
layout(binding = kWeightsFloat16Unit) uniform FACTOR samplerBuffer weight_data;
FACTOR vec4 stored_weight(int i) { return texelFetch(weight_data, i); }
#else
vec4 stored_weight(int i) { return texelFetch(c_data, i); }
#endif
#elif defined(WEIGHTS_I8)
vec4 stored_weight(int i) {
  ivec4 bytes = ivec4(c_data[i]) << ivec4(24, 16, 8, 0);
  return vec4(bytes >> 24);
}
#elif defined(WEIGHTS_F16)
FACTOR vec4 stored_weight(int i) { return unpack4(c_data[i]); }
#else
vec4 stored_weight(int i) { return c_data[i]; }
#endif
#ifdef WEIGHTS_OFFSET
#define load_weight(i) (stored_weight(i) + float(constants.w))
#else
#define load_weight(i) stored_weight(i)
#endif
#endif

int tensor_index(Tensor t, int batch, int slice, int y, int x) {
  return t.place.x + ((batch * t.place.y + slice) * t.size.y + y) * t.size.x + x;
}

bvec4 is_channel(Tensor t, int slice) {
  return lessThan(ivec4(slice * 4) + ivec4(0, 1, 2, 3), ivec4(t.size.z));
}

// Keeps the channel lanes of `slice`, and zeroes the others.
vec4 mask_lanes(Tensor t, int slice, vec4 v) { return mix(vec4(0.0), v, is_channel(t, slice)); }
ivec4 mask_lanes(Tensor t, int slice, ivec4 v) { return mix(ivec4(0), v, is_channel(t, slice)); }

// `result`, but the NaNs of `x`: min(), max(), and clamp() may lose them. Compilers may also remove comparisons that only
// NaNs fail.
vec4 keep_nans(vec4 x, vec4 result) {
  return mix(result, x, greaterThan(floatBitsToInt(x) & ivec4(0x7FFFFFFF), ivec4(0x7F800000)));
}

// The real value of a stored value.
vec4 real(Tensor t, vec4 stored) { return stored * t.quant.x; }
ivec4 real(Tensor t, ivec4 stored) { return stored; }
