// A virtual camera: gst_plugin/segment/camera.h. Positions are in heights of the upright frame. A view is the center in
// xy and, in z, the logarithm of its size: 0 for the largest view that the frame has in this shape. Speeds and
// accelerations are of views. `camera_part` is the box of the view in fractions of the upright frame, `camera_box` that
// of those who are followed.
#define CAMERA              \
  vec4 camera_part;         \
  vec4 camera_box;          \
  vec4 camera_view;         \
  vec4 camera_speed;        \
  vec4 camera_acceleration; \
  vec4 camera_goal;         \
  vec4 camera_drift;        \
  float camera_is_set;      \
  float camera_moves;       \
  float camera_absent;      \
  float camera_late
