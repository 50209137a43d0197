// Reduces the class scores of each pixel: foreground probability in R, index of the likeliest class in G, 0 if that
// class is not shown. Counts the pixels of each class.
//   NUMBERS  the model output is the class index
#include "gl/compute.h"
#include "sightglass/model.h"
#include "segment/mask_model.h"
#include "segment/shaders.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
// Row by row, with the scores of a pixel in sequence.
layout(std430, binding = kScoresBinding) readonly buffer Scores { float b_scores[]; };
layout(std430, binding = kSeenBinding) buffer Seen { uint b_seen[kMaxMaskClasses]; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_output;
layout(std140, binding = kParamsBinding) uniform Classes {
  ivec4 u_size;  // width, height, channels; OutputActivation to apply
  vec4 u_map;    // before that: factor, summand
  ivec4 u_foreground[kMaxMaskClasses / 128];  // bit c: class c is foreground
  ivec4 u_shown[kMaxMaskClasses / 128];
};

int bit(ivec4 bits, int c) { return (bits[(c >> 5) & 3] >> (c & 31)) & 1; }
int is_foreground(int c) { return bit(u_foreground[c >> 7], c); }
int is_shown(int c) { return bit(u_shown[c >> 7], c); }

void main() {
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(position, u_size.xy))) return;
  int pixel = position.y * u_size.x + position.x;
#ifdef NUMBERS
  int likeliest = clamp(int(b_scores[pixel] + 0.5), 0, kMaxMaskClasses - 1);
  float probability = float(is_foreground(likeliest));
#else
  int first = pixel * u_size.z, likeliest = 0;
  float top = b_scores[first];
  for (int c = 1; c < u_size.z; ++c) {
    float score = b_scores[first + c];
    if (score > top) {
      top = score;
      likeliest = c;
    }
  }
  float sum = 0.0, total = 0.0;
  for (int c = 0; c < u_size.z; ++c) {
    float score = u_map.x * b_scores[first + c] + u_map.y;
    if (u_size.w == OutputActivation_kSigmoid) score = 1.0 / (1.0 + exp(-score));
    if (u_size.w == OutputActivation_kSoftmax) score = exp(score - (u_map.x * top + u_map.y));
    total += score;
    sum += score * float(is_foreground(c));
  }
  float probability = clamp(u_size.w == OutputActivation_kSoftmax ? sum / total : sum, 0.0, 1.0);
#endif
  int shown = likeliest * is_shown(likeliest);
  imageStore(u_output, position, vec4(probability, float(shown) / 255.0, 0.0, 1.0));
  if (shown != 0 && position.x % kCountedPixels == 0 && position.y % kCountedPixels == 0) atomicAdd(b_seen[shown], 1u);
}
