// The layout of the output of a YOLO head (gst_plugin/detect/yolo_decoder.h).
#include "detect/yolo_decoder.h"
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Yolo {
  ivec4 u_steps;  // between the values of two boxes, between two values of a box; boxes; NanoDet: values
                  // of a distribution, otherwise 0
  ivec4 u_head;   // classes; 1 if a score of any object precedes theirs; 1 if rows are box, score and class; first further value
  ivec4 u_size;   // width and height of the model input in pixels; 0, 0
  ivec4 u_strides;  // of the layers of cells, if boxes are relative to them; otherwise 0
};

// The column and row of the cell of a box in the layer of its stride, and that stride; 0 if there is no such cell.
ivec3 cell_of(int box) {
  for (int layer = 0; layer < 4 && u_strides[layer] > 0; ++layer) {
    int stride = u_strides[layer];
    uvec2 cells = uvec2(u_size.xy + stride - 1) / uint(stride);
    int count = int(cells.x * cells.y);
    if (box < count) return ivec3(int(uint(box) % cells.x), int(uint(box) / cells.x), stride);
    box -= count;
  }
  return ivec3(0);
}
