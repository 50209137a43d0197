// What segment/noise.comp measures, of colors and lumas in [0,1]: the standard deviation of the luma of a pixel of the
// frame, the mean absolute change of a pixel of segment/luma.comp if nothing moves, how far the scene is that of the
// previous frame (0 after a cut), and by what the light has multiplied lumas: exactly 1 unless it has changed.
#define NOISE         \
  float noise_sigma;  \
  float noise_change; \
  float noise_same;   \
  float noise_light
