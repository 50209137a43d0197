// Rotated boxes.
#include "detect/yolo_decoder.h"

struct Rotated {
  vec4 box;   // center x and y, width, height
  vec4 turn;  // cosine and sine of the angle, clockwise; 0, 0
};

const float kHalfTurn = 3.14159265;

// A box by its center and size; of no size if a value is out of range or NaN. A box looks the same after half a
// turn: the angle that is above -pi/2 and not above pi/2 counts, so that what is written along the box is not upside down.
Rotated rotated(vec4 box, float angle) {
  // As integers: compilers invert comparisons of floats, and NaN is on both sides.
  uvec4 sizes = floatBitsToUint(box) & 0x7fffffffu;
  uint size = floatBitsToUint(angle) & 0x7fffffffu;
  bool is_box = all(lessThan(sizes, uvec4(floatBitsToUint(kFarthestRotated)))) &&
                size < floatBitsToUint(kLargestAngle) && all(greaterThan(box.zw, vec2(kNarrowestRotated)));
  if (!is_box) return Rotated(vec4(0.0), vec4(0.0));
  angle -= kHalfTurn * floor(angle / kHalfTurn + 0.49999);  // pi/2 stays, whatever the rounding
  return Rotated(box, vec4(cos(angle), sin(angle), 0.0, 0.0));
}

// ProbIoU of two boxes in [0,1] (Llerena, Zeni, Kristen and Jung 2021, "Gaussian Bounding Boxes and Probabilistic
// Intersection-over-Union for Object Detection", arXiv 2106.06072): a box is a normal distribution with its center as mean
// and the variances w*w/12 and h*h/12 along its sides, as of an even distribution over it. The result is 1 - H, with the
// Hellinger distance H = sqrt(1 - exp(-B)) and the Bhattacharyya distance
//   B = d^T (S1 + S2)^-1 d / 4 + ln(det(S1 + S2) / (4 sqrt(det S1 det S2))) / 2
// of covariances S1 and S2 and the difference d of the centers. Written in the axes of the boxes, all summands are
// positive, and nothing cancels in narrow boxes. Needs equal units in x and y.
float prob_iou(Rotated a, Rotated b) {
  vec4 squares = vec4(a.box.zw * a.box.zw, b.box.zw * b.box.zw);
  vec2 between = a.box.xy - b.box.xy;
  float cosine = dot(a.turn.xy, b.turn.xy), sine = a.turn.x * b.turn.y - a.turn.y * b.turn.x;
  // 144 det(S1 + S2)
  float of_sum = squares.x * squares.y + squares.z * squares.w +
                 cosine * cosine * (squares.y * squares.z + squares.x * squares.w) +
                 sine * sine * (squares.y * squares.w + squares.x * squares.z);
  vec2 in_a = vec2(dot(between, a.turn.xy), dot(between, vec2(-a.turn.y, a.turn.x)));
  vec2 in_b = vec2(dot(between, b.turn.xy), dot(between, vec2(-b.turn.y, b.turn.x)));
  // 12 d^T adj(S1 + S2) d
  float away = dot(squares.yxwz, vec4(in_a * in_a, in_b * in_b));
  float areas = a.box.z * a.box.w * b.box.z * b.box.w;  // 144 sqrt(det S1 det S2)
  float coefficient = sqrt(4.0 * areas / of_sum) * exp(-3.0 * away / of_sum);
  return 1.0 - sqrt(max(1.0 - coefficient, 0.0));
}
