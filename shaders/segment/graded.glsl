// Changes colors as segment/grade.comp has found. Colors are as encoded. Black stays black, white stays white unless the
// light is colored, and nothing in between is clipped.
#include "gl/compute.h"
#include "segment/grade.glsl"

layout(std140, binding = kParamsBinding) uniform Grade { GRADE; };

vec3 matched(vec3 color) {
  vec3 balanced = pow(clamp(color * grade_gains.rgb, 1e-4, 1.0), vec3(grade_gains.a));
  return balanced + 4.0 * grade_tone.y * (balanced - grade_tone.x) * balanced * (1.0 - balanced);
}
