// Camera and room of figure::Scene (gst_plugin/figure/scene.h, CameraBlock).
#include "figure/shaders.h"

layout(std140, binding = kCameraBinding) uniform Camera {
  vec4 u_gain;   // factors of R, G and B; exponent
  vec4 u_noise;  // of brightness, of colors; seed; vignette
  vec4 u_room;   // aspect; level of detail of the backdrop; softness in pixels; saturation
  vec4 u_spot;   // light on the backdrop: x, y, width; strength
  vec4 u_wall;   // R G B factors of the backdrop
};
