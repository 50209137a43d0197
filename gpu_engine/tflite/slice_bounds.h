// Bounds of a STRIDED_SLICE as in the file, and their resolution for an input.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/op.h"
#include "sightglass/status.h"

namespace sightglass::tflite {

// One entry per position of the slice expression. Bit i of a mask refers to position i.
struct SliceBounds {
  std::vector<int64_t> begin, end, stride;
  int32_t begin_mask = 0;        // begin is the first element of the dimension
  int32_t end_mask = 0;          // end is past the last element of the dimension
  int32_t ellipsis_mask = 0;     // covers all dimensions that the other positions leave
  int32_t new_axis_mask = 0;     // adds a dimension of size 1
  int32_t shrink_axis_mask = 0;  // takes one element, removes the dimension
  bool end_is_offset = false;    // end counts from begin
};

Result<StridedSliceAttr> resolve_slice(const SliceBounds& bounds, const Shape& input);

}  // namespace sightglass::tflite
