// Moves the camera as an operator would: it rests while people stay about where they are, and starts and stops softly.
#include "gl/compute.h"
#include "segment/boxes.glsl"
#include "segment/camera.glsl"
#include "segment/camera.h"
#include "gl/frame_part.glsl"
#include "segment/noise.glsl"
#include "segment/shaders.h"

layout(local_size_x = 1) in;
layout(std430, binding = kCameraBlock) buffer Camera { CAMERA; };
layout(std430, binding = kCameraPlaceBlock) writeonly buffer Place { vec4 frame_block[9]; };
layout(std430, binding = kCameraNoiseBlock) readonly buffer Noise { NOISE; };
layout(std430, binding = kCameraPeopleBlock) readonly buffer People { vec4 people_main; vec4 people_group; };
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_shape;  // widths over heights of the upright frame and of the output; the smallest view, the margin
  vec4 u_pace;   // seconds since the previous frame; rate; maximum speed; 1 in the first frame of a scene
  ivec4 u_who;   // Follow; Sight; number of boxes
  vec4 u_to_upright[2];  // rows of the map from the mask to the upright frame
  vec4 u_boxes[kMostBoxes];  // in fractions of the upright frame
};

// The box of the mask in the upright frame.
vec4 box_of_mask(vec4 box) {
  if (!is_somewhere(box)) return kNowhere;
  mat2x3 rows = mat2x3(u_to_upright[0].xyz, u_to_upright[1].xyz);
  vec2 a = vec3(box.xy, 1.0) * rows, b = vec3(box.zw, 1.0) * rows;
  return vec4(min(a, b), max(a, b));
}

float overlap(vec4 a, vec4 b) {
  vec4 common_box = vec4(max(a.xy, b.xy), min(a.zw, b.zw));
  return is_somewhere(common_box) ? area(common_box) / (area(a) + area(b) - area(common_box)) : 0.0;
}

// All objects, or the one that was followed before, or else the largest and most central one.
vec4 box_of_objects(bool all) {
  vec4 best = kNowhere;
  float best_score = 0.0;
  for (int i = 0; i < u_who.z; ++i) {
    vec4 box = u_boxes[i];
    float score = overlap(box, camera_box);
    if (!is_somewhere(camera_box)) {
      vec2 off = 0.5 * (box.xy + box.zw) - 0.5;
      score = area(box) * (1.0 - 0.8 * min(length(off), 0.5) / 0.5);
    }
    if (all) best = united(best, box);
    if (!all && score > best_score) best = box;
    best_score = max(best_score, score);
  }
  return best;
}

vec4 seen_box() {
  if (u_who.x == Follow_kNone) return kNowhere;
  bool all = u_who.x == Follow_kGroup;
  if (u_who.y == Sight_kMask) return box_of_mask(all ? people_group : people_main);
  return u_who.y == Sight_kObjects ? box_of_objects(all) : kNowhere;
}

// The largest view.
vec2 whole_size() { return vec2(min(u_shape.x, u_shape.y), min(1.0, u_shape.x / u_shape.y)); }

vec2 inside(vec2 center, vec2 size) {
  vec2 frame = vec2(u_shape.x, 1.0);
  return clamp(center, 0.5 * size, max(frame - 0.5 * size, 0.5 * size));
}

// None on sides on which people go on beyond the frame.
vec4 margin_of(vec4 box) {
  const float kBorder = 0.01;
  return u_shape.w * vec4(greaterThan(box.xy, vec2(kBorder)), lessThan(box.zw, vec2(1.0 - kBorder)));
}

vec4 within_frame(vec4 box) { return vec4(max(box.xy, 0.0), min(box.zw, 1.0)) * vec2(u_shape.x, 1.0).xyxy; }

// The view that shows the box with its margin.
vec3 view_of(vec4 box) {
  vec4 margin = margin_of(box), inner = within_frame(box);
  vec2 size = (inner.zw - inner.xy) / (1.0 - margin.xy - margin.zw), whole = whole_size();
  float part = clamp(max(size.x / whole.x, size.y / whole.y), u_shape.z, 1.0);
  vec2 center = 0.5 * (inner.xy + inner.zw) + 0.5 * (margin.zw - margin.xy) * whole * part;
  return vec3(inside(center, whole * part), log(part));
}

// How far people are at the sides of the view, 0 to 1, from a part of their margin on.
float urgency() {
  if (!is_somewhere(camera_box)) return 0.0;
  vec2 size = whole_size() * exp(camera_view.z);
  vec4 view = camera_view.xyxy + 0.5 * vec4(-size, size);
  vec4 inner = within_frame(camera_box), near = kCameraNear * margin_of(camera_box) * size.xyxy;
  vec4 over = vec4(view.xy + near.xy - inner.xy, inner.zw - view.zw + near.zw) / size.xyxy;
  float most = max(max(over.x, over.y), max(over.z, over.w));
  return clamp(most / kCameraUrgent, 0.0, 1.0);
}

// Whether the camera has to start: at once if it shows too little, after a while if it could show them better.
bool starts(vec3 wanted, bool someone) {
  vec2 off = abs(wanted.xy - camera_goal.xy) / (whole_size() * exp(camera_goal.z));
  float pan = max(off.x, off.y) / kCameraZone, zoom = (wanted.z - camera_goal.z) / kCameraZoomZone;
  float way = max(pan, abs(zoom));
  camera_late = way > 1.0 ? camera_late + u_pace.x : 0.0;
  bool closer = -zoom > max(pan, 1.0);  // only to zoom in
  bool soon = way > 2.0 && !closer, in_time = camera_late > (closer ? kCameraCloserWait : kCameraWait);
  return (way > 1.0 && (!someone || soon || in_time)) || (way > 0.5 && urgency() > 0.0);
}

// How fast people move, in heights per second: their mean over some tenths of a second. Those who are somewhere else at
// once are others.
vec2 drift(vec3 wanted) {
  if (u_pace.x <= 0.0) return camera_drift.xy;
  vec2 now = (wanted.xy - camera_drift.zw) / u_pace.x;
  if (length(now) > kCameraJump) return vec2(0.0);
  return mix(now, camera_drift.xy, exp(-u_pace.x / kCameraDriftTime));
}

// A critically damped system of the third order: speed and acceleration are continuous, and it does not overshoot. The
// solution is exact, so that the frame rate makes no difference.
void follow_goal() {
  float rate = u_pace.y * (1.0 + urgency()), t = u_pace.x;
  vec3 view = camera_view.xyz, speed = camera_speed.xyz, acceleration = camera_acceleration.xyz;
  // A goal that is this far away is followed at the maximum speed.
  float farthest = 3.0 * u_pace.z / rate, height = whole_size().y * exp(view.z);
  vec3 way = camera_goal.xyz - view;
  way.xy *= min(1.0, farthest * height / max(length(way.xy), 1e-6));
  way.z = clamp(way.z, -farthest, farthest);
  vec3 goal = view + way;
  vec3 a = -way, b = speed + rate * a, c = 0.5 * (acceleration + 2.0 * rate * speed + rate * rate * a);
  float decay = exp(-rate * t);
  vec3 at = a + (b + c * t) * t, slope = b + 2.0 * c * t;
  camera_view = vec4(goal + at * decay, 0.0);
  camera_speed = vec4((slope - rate * at) * decay, 0.0);
  camera_acceleration = vec4((2.0 * c - 2.0 * rate * slope + rate * rate * at) * decay, 0.0);
}

bool arrives() {
  vec2 off = abs(camera_goal.xy - camera_view.xy) / (whole_size() * exp(camera_goal.z));
  return max(max(off.x, off.y) / kCameraZone, abs(camera_goal.z - camera_view.z) / kCameraZoomZone) < kCameraArrival;
}

void main() {
  if (u_pace.w > 0.5 || noise_same < 0.5) {
    camera_is_set = camera_moves = camera_late = 0.0;
    camera_absent = kPeopleForever;
    camera_box = kNowhere;
  }
  vec4 box = seen_box();
  bool seen = is_somewhere(box);
  camera_absent = seen ? 0.0 : min(camera_absent + u_pace.x, kPeopleForever);
  if (seen || camera_absent > kPeopleWait || u_who.x == Follow_kNone) camera_box = box;
  bool someone = is_somewhere(camera_box);
  vec3 wanted = someone ? view_of(camera_box) : vec3(0.5 * u_shape.x, 0.5, 0.0);
  if (camera_is_set < 0.5) {
    camera_view = camera_goal = vec4(wanted, 0.0);
    camera_speed = camera_acceleration = vec4(0.0);
    camera_drift = vec4(0.0, 0.0, wanted.xy);
    camera_is_set = 1.0;
  }
  if (starts(wanted, someone)) camera_moves = 1.0;
  camera_drift = vec4(someone ? drift(wanted) : vec2(0.0), wanted.xy);
  // Without a lead, the camera would be behind people who walk by three times its time constant.
  vec2 lead = kCameraLead * 3.0 / u_pace.y * camera_drift.xy;
  if (camera_moves > 0.5) camera_goal = vec4(inside(wanted.xy + lead, whole_size() * exp(wanted.z)), wanted.z, 0.0);
  follow_goal();
  if (arrives()) camera_moves = 0.0;
  vec2 size = whole_size() * exp(clamp(camera_view.z, log(u_shape.z), 0.0));
  vec2 first = inside(camera_view.xy, size) - 0.5 * size;
  vec4 part = vec4(first, first + size) / vec2(u_shape.x, 1.0).xyxy;
  camera_part = part;
  vec2 shown = part.zw - part.xy;
  STORE_FRAME_PART(frame_block, part.xy, vec2(shown.x, 0.0), vec2(0.0, shown.y));
}
