// Reads the outputs of a face detector that has a tensor per layer of cells, or per kind of value (FaceLayout of
// gst_plugin/detect/ssd_decoder.h): for every anchor the box and the points in fractions of the model input, and a score.
#include "detect/ssd_decoder.h"
#include "gl/compute.h"

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };  // all outputs
layout(std430, binding = 1) writeonly buffer Boxes { float b_boxes[]; };     // center, size, points
layout(std430, binding = 2) writeonly buffer Scores { float b_scores[]; };
layout(std140, binding = kParamsBinding) uniform Faces {
  ivec4 u_faces;                     // FaceKind; boxes; anchors per cell; points
  ivec4 u_input;                     // width and height of the model input in pixels; 1: scores are logits; 0
  ivec4 u_layers[kMostFaceLayers];   // stride, columns of cells, first box, 0
  ivec4 u_outputs[kMostFaceLayers];  // of the first box of a layer: score, other score, box, points
  vec4 u_sizes[kMostFaceLayers];     // of RetinaFace: sides of the anchors in pixels
};

const float kCenterVariance = 0.1, kSizeVariance = 0.2;  // of RetinaFace

float value(int at) { return b_outputs[at]; }
vec2 pair(int at) { return vec2(b_outputs[at], b_outputs[at + 1]); }

float score_of(int layer, int n) {
  ivec4 at = u_outputs[layer];
  if (u_faces.x == FaceKind_kRetinaFace) {  // of the background and of a face
    float other = value(at.x + 2 * n), face = value(at.x + 2 * n + 1);
    return u_input.z != 0 ? 1.0 / (1.0 + exp(other - face)) : face;
  }
  float score = value(at.x + n);
  if (u_input.z != 0) score = 1.0 / (1.0 + exp(-score));
  if (u_faces.x != FaceKind_kYuNet) return score;
  float object = value(at.y + n);
  if (u_input.z != 0) object = 1.0 / (1.0 + exp(-object));
  return sqrt(clamp(score, 0.0, 1.0) * clamp(object, 0.0, 1.0));
}

// Whether no cell around has a higher score; of equals, the first one.
bool is_peak(int layer, int n) {
  int columns = u_layers[layer].y, rows = u_faces.y / columns;
  int column = int(uint(n) % uint(columns)), row = int(uint(n) / uint(columns));
  float of_cell = value(u_outputs[layer].x + n);
  for (int y = max(row - 1, 0); y <= min(row + 1, rows - 1); ++y) {
    for (int x = max(column - 1, 0); x <= min(column + 1, columns - 1); ++x) {
      int other = y * columns + x;
      float score = value(u_outputs[layer].x + other);
      if (score > of_cell || (score == of_cell && other < n)) return false;
    }
  }
  return true;
}

// Of DBFace: linear up to 1, so that it continues the exponential function.
float distance_of(float number) {
  float v = 4.0 * number;
  return abs(v) < 1.0 ? v * exp(1.0) : sign(v) * exp(abs(v));
}

void main() {
  int box = int(gl_GlobalInvocationID.x);
  if (box >= u_faces.y) return;
  int layer = 0;
  for (int i = 1; i < kMostFaceLayers; ++i) {
    if (u_layers[i].x > 0 && box >= u_layers[i].z) layer = i;
  }
  int n = box - u_layers[layer].z;
  uint cell = uint(n) / uint(u_faces.z), anchor = uint(n) % uint(u_faces.z);
  uint columns = uint(u_layers[layer].y);
  float stride = float(u_layers[layer].x);
  vec2 corner = vec2(float(cell % columns), float(cell / columns));
  int at = u_outputs[layer].z + 4 * n;
  vec2 first = pair(at), second = pair(at + 2);

  // Pixels of the model input. Points are relative to `origin`, in units of `unit`.
  vec2 middle, size, origin = corner * stride;
  float unit = stride;
  bool is_db_face = u_faces.x == FaceKind_kDbFace;
  if (u_faces.x == FaceKind_kScrfd || is_db_face) {  // distances to the four sides
    middle = origin + 0.5 * stride * (second - first);
    size = stride * (first + second);
  } else if (u_faces.x == FaceKind_kYuNet) {
    middle = origin + stride * first;
    size = stride * exp(second);
  } else {
    float side = u_sizes[layer][anchor];
    unit = kCenterVariance * side;
    origin += 0.5 * stride;
    middle = origin + unit * first;
    size = side * exp(kSizeVariance * second);
  }
  vec2 scale = 1.0 / vec2(u_input.xy);
  int to = box * (4 + 2 * u_faces.w);
  b_boxes[to] = middle.x * scale.x;
  b_boxes[to + 1] = middle.y * scale.y;
  b_boxes[to + 2] = size.x * scale.x;
  b_boxes[to + 3] = size.y * scale.y;
  for (int i = 0; i < u_faces.w; ++i) {
    int of_point = u_outputs[layer].w + 2 * n * u_faces.w;
    vec2 from_origin = is_db_face ? vec2(distance_of(value(of_point + i)), distance_of(value(of_point + u_faces.w + i)))
                                  : pair(of_point + 2 * i);
    vec2 point = (origin + unit * from_origin) * scale;
    b_boxes[to + 4 + 2 * i] = point.x;
    b_boxes[to + 5 + 2 * i] = point.y;
  }
  float score = is_db_face && !is_peak(layer, n) ? -1.0 : score_of(layer, n);
  b_scores[box] = score >= 0.0 && score <= 1.0 ? score : -1.0;  // NaN too
}
