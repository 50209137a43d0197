// What segment/noise.comp measures, of colors and lumas in [0,1]: the standard deviation of the luma of a pixel of the
// frame, and the mean absolute change of a pixel of segment/luma.comp if nothing moves.
#define NOISE           \
  float noise_sigma;    \
  float noise_change;   \
  float noise_unused_0; \
  float noise_unused_1
