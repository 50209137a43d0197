// Masks of the objects that a YOLO segmentation model has found, in the cells of its prototypes. The mask of an object is
// the sum of the prototypes, weighted by its coefficients, inside its box.
//   FOREGROUND   the largest probability of the classes that count, in R
//   NUMBERS      that of all classes, in R, and in G the number of the object that has it: a byte, 1 for the first one
// Otherwise the color of the class of the likeliest object, multiplied by its probability, with the probability in A.
#include "detect/detections.glsl"
#include "detect/yolo_decoder.h"
#include "draw/palette.glsl"
#include "gl/compute.h"

layout(local_size_x = kGroupSide, local_size_y = kGroupSide) in;
layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };  // rows of boxes
layout(std430, binding = 1) readonly buffer Prototypes { float b_prototypes[]; };
layout(std430, binding = 2) readonly buffer Found { DETECTIONS; };
layout(rgba8, binding = 0) writeonly uniform highp image2D u_masks;
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_size;      // width, height and number of prototypes; 0
  ivec4 u_steps;     // between the values of two boxes, between two values of a box; the first coefficient; 0
  ivec4 u_counted[kCountedClasses / 128];  // bit c: class c counts
  vec4 u_place[2];   // rows of the transform from the model input to the frame of the detections
};

bool counts(int c) { return c >= 0 && c < kCountedClasses && ((u_counted[c >> 7][(c >> 5) & 3] >> (c & 31)) & 1) != 0; }

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(cell, u_size.xy))) return;
  vec3 at = vec3((vec2(cell) + 0.5) / vec2(u_size.xy), 1.0);
  vec2 place = vec2(dot(u_place[0].xyz, at), dot(u_place[1].xyz, at));
  int first = (cell.y * u_size.x + cell.x) * u_size.z;
  float best = 0.0;
  int best_class = 0, best_number = 0;
  for (int i = 0; i < detections_count; ++i) {
    vec4 box = detections[i].box;
    if (any(lessThan(place, box.xy)) || any(greaterThan(place, box.zw))) continue;
#ifdef FOREGROUND
    if (!counts(detections[i].class_id)) continue;
#endif
    int row = detections[i].row * u_steps.x + u_steps.z * u_steps.y;
    float sum = 0.0;
    for (int k = 0; k < u_size.z; ++k) sum += b_outputs[row + k * u_steps.y] * b_prototypes[first + k];
    float probability = 1.0 / (1.0 + exp(-sum));
    if (probability > best) {
      best = probability;
      best_class = detections[i].class_id;
      best_number = i + 1;
    }
  }
#ifdef FOREGROUND
  imageStore(u_masks, cell, vec4(best, 0.0, 0.0, 1.0));
#elif defined(NUMBERS)
  imageStore(u_masks, cell, vec4(best, float(best_number) / 255.0, 0.0, 1.0));
#else
  imageStore(u_masks, cell, vec4(class_color(best_class).rgb, 1.0) * best);
#endif
}
