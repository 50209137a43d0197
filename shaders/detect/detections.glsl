// The detections in a frame; gst_plugin/detect/detections.h documents the members. Shaders declare the buffer
// themselves:
//   layout(std430, binding = 0) readonly buffer Detections { DETECTIONS };
#include "detect/detections.h"

struct Detection {
  vec4 box;  // minimum x and y, maximum x and y
  float score;
  int class_id;
  int points_count;
  int row;
  int id;
  int values_count;
  int corners_count;
  int unused;
  vec2 points[kMaxDetectionPoints];
};

#define DETECTIONS           \
  int detections_count;      \
  int detections_in_pixels;  \
  int detections_unused[2];  \
  Detection detections[kMaxDetections]
