// Shared code of the decoders. They fill a buffer of Persons (pose/persons.glsl), in which entries without points are
// empty; pose/follow.comp adds boxes and IDs.
#include "pose/persons.glsl"

vec2 to_upright(vec4 rows[2], vec2 place) {
  return vec2(dot(rows[0].xyz, vec3(place, 1.0)), dot(rows[1].xyz, vec3(place, 1.0)));
}

// A point without depth, for models with one score per point.
KeyPoint flat_point(vec2 place, float score) {
  float s = clamp(score, 0.0, 1.0);
  return KeyPoint(place.x, place.y, 0.0, s, s, 0.0, 0.0, 0.0);
}
