// The part of the frame that the model samples: gst_plugin/segment/region.h. Boxes have their minimum in xy and their
// maximum in zw, in fractions of what the model would sample of a whole frame. `region_runs` is the flag of the next run.
// A part whose mask is not trusted is on trial: only the second runs of a frame sample it, and nobody sees the mask.
// - `region_trial`: that part; the whole frame if there is none.
// - `region_whole_people`, `region_part_people`: shares of people in the last masks of the whole frame and of a part.
// - `region_judges`: 1 if no mask of a part has been compared with the last one of the whole frame.
// - `region_agreed`: masks of parts in a row that agreed with the one before.
// - `region_trusted`: 1 unless the last mask is one that nobody sees.
// - `region_active`: 1 if masks of a part are shown.
// - `region_grew`: 1 if a part has grown before its first mask was shown.
// - `region_rest`: runs that still stay whole.
#define REGION          \
  vec4 region_box;      \
  vec4 region_sampled;  \
  vec4 region_trial;    \
  float region_shrinks; \
  float region_cut;     \
  float region_whole_people; \
  float region_part_people;  \
  float region_judges;  \
  float region_agreed;  \
  float region_trusted; \
  float region_active;  \
  float region_grew;    \
  float region_rest;    \
  float region_padding[kRegionFlagWord - 22]; \
  uint region_runs

const vec4 kWholeFrame = vec4(0.0, 0.0, 1.0, 1.0);
