// The elements that run models, a row each. The plugin registers them, the command offers their properties as options,
// and messages name them.
#pragma once

// row(CONSTANT, ELEMENT, BIN): a bin is the element with upload and download.
#define SIGHTGLASS_MODEL_ELEMENTS(row) \
  row(kSegment, glsegment, glsegmentbin) row(kInfer, glinfer, glinferbin) row(kPose, glpose, glposebin)

namespace sightglass::elements {

struct Names {
  const char* element;
  const char* bin;
};

#define SIGHTGLASS_ROW(constant, element, bin) inline constexpr Names constant{#element, #bin};
SIGHTGLASS_MODEL_ELEMENTS(SIGHTGLASS_ROW)
#undef SIGHTGLASS_ROW

}  // namespace sightglass::elements
