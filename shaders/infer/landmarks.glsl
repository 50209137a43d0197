// The landmarks of the one face (or hand) that a frame shows; gst_plugin/infer/landmarks.h says what the members mean. A
// shader declares the buffer itself:
//   layout(std430, binding = 0) readonly buffer Landmarks { LANDMARKS };
#include "infer/landmarks.h"

#define LANDMARKS            \
  int landmarks_count;       \
  float landmarks_score;     \
  int landmarks_unused[2];   \
  vec4 landmarks[kMaxLandmarks]
