// The figure of figure::Scene (gst_plugin/figure/scene.h, FigureBlock). Colors are display-referred. Lengths are in
// meters; those of the head are in half heads.
#include "figure/lofts.h"
#include "figure/appearance.h"
#include "figure/shaders.h"

layout(std140, binding = kFigureBinding) uniform Figure {
  mat4 u_clip;
  vec4 u_eye;
  vec4 u_head[4], u_chest[4];  // axes and origin; u_head[0].w is the divisor of lengths
  vec4 u_sun, u_sun_color, u_sky, u_ground, u_rim, u_rim_color;
  vec4 u_skin, u_lips, u_iris, u_hair, u_hair_tip, u_headwear, u_plastic, u_glasses, u_scarf, u_shoes, u_tie, u_print;
  vec4 u_shirt[3], u_coat[3], u_trousers[3];
  vec4 u_face;        // blink, mouth, smile, brows
  vec4 u_gaze;        // x, y; size and distance of the eyes
  vec4 u_features;    // brows, length of the nose, lips, width of the nose
  vec4 u_marks;       // freckles, stubble, beard, makeup
  vec4 u_hair_shape;  // hairline, volume, curl, fringe
  vec4 u_hair_more;   // parting, nape, style, wrinkles
  vec4 u_face_mask;
  vec4 u_fine;        // opacity of sleeves and of lenses; width and height of the frame in square pixels
};

bool wears(int headwear) { return u_headwear.w == float(headwear); }

vec3 head_place(vec3 place) {
  vec3 d = place - u_head[3].xyz;
  return vec3(dot(d, u_head[0].xyz), dot(d, u_head[1].xyz), dot(d, u_head[2].xyz)) * u_head[0].w;
}

vec3 chest_place(vec3 place) {
  vec3 d = place - u_chest[3].xyz;
  return vec3(dot(d, u_chest[0].xyz), dot(d, u_chest[1].xyz), dot(d, u_chest[2].xyz));
}
