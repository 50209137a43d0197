// The part of the frame that the model samples: gst_plugin/segment/region.h. Boxes have their minimum in xy and their
// maximum in zw, in fractions of what the model would sample of a whole frame. `region_runs` is the flag of the next run.
#define REGION          \
  vec4 region_box;      \
  vec4 region_sampled;  \
  float region_shrinks; \
  float region_cut;     \
  float region_padding[kRegionFlagWord - 10]; \
  uint region_runs

const vec4 kWholeFrame = vec4(0.0, 0.0, 1.0, 1.0);
