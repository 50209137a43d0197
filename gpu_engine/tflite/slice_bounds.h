// STRIDED_SLICE's bounds as a file has them, and what they come to on a given input.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu_engine/status.h"
#include "graph/op.h"

namespace sightglass::tflite {

// One entry per position of the slice expression; bit i of a mask speaks of position i.
struct SliceBounds {
  std::vector<int64_t> begin, end, stride;
  int32_t begin_mask = 0;        // begin is the first element there is
  int32_t end_mask = 0;          // end is behind the last element there is
  int32_t ellipsis_mask = 0;     // stands for all dimensions that the other positions leave
  int32_t new_axis_mask = 0;     // takes no dimension of the input, gives one of size 1
  int32_t shrink_axis_mask = 0;  // takes one element, gives no dimension
  bool end_is_offset = false;    // end counts from begin
};

Result<StridedSliceAttr> resolve_slice(const SliceBounds& bounds, const Shape& input);

}  // namespace sightglass::tflite
