// What detectors have found in a frame; gst_plugin/detect/detections.h says what the members mean. A shader declares the
// buffer itself:
//   layout(std430, binding = 0) readonly buffer Detections { DETECTIONS };
#include "detect/detections.h"

struct Detection {
  vec4 box;  // least x, least y, greatest x, greatest y
  float score;
  int class_id;
  int points_count;
  int unused;
  vec2 points[kMaxDetectionPoints];
};

#define DETECTIONS          \
  int detections_count;     \
  int detections_unused[3]; \
  Detection detections[kMaxDetections]
