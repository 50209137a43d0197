// The people in a mask: gst_plugin/segment/people.h. Boxes are in fractions of the mask, as in segment/boxes.glsl.
#define PEOPLE                        \
  vec4 people_main;                   \
  vec4 people_group;                  \
  vec4 people_motion;                 \
  vec2 people_center;                 \
  float people_lost;                  \
  float people_crossing;              \
  uint people_labels[kPeopleCells];   \
  float people_shares[kPeopleCells];  \
  vec4 people_boxes[kPeopleCells]

layout(std140, binding = kParamsBinding) uniform PeopleParams {
  vec4 people_grid;     // columns, rows, mask pixels per side of a cell; seconds since the previous mask
  vec4 people_visible;  // the box of the mask that shows the frame
  vec4 people_scene;    // x: 1 in the first mask of a scene
};
