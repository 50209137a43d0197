// The layout of the output of a YOLO head (gst_plugin/detect/yolo_decoder.h).
#include "detect/yolo_decoder.h"
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Yolo {
  ivec4 u_steps;  // between the values of two boxes, between two values of a box; boxes; 0
  ivec4 u_head;   // classes; 1 if a score of any object precedes theirs; 1 if boxes are corners, score and class; 0
  ivec4 u_size;   // width and height of the model input in pixels; 0, 0
  ivec4 u_strides;  // of the layers of cells, if boxes are relative to them; otherwise 0
};
