// Error measures of a tensor against its reference.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass::test {

struct Comparison {
  double max_abs = 0;       // largest |reference - got|; infinite if a value is not finite on only one side
  size_t worst = 0;         // its index
  double range = 0;         // of the reference: maximum minus minimum, or |value| if all are equal
  double relative_max = 0;  // max_abs / range
  double nmse = 0;          // sum of squared errors / sum of squared references
  double relative_l2 = 0;   // square root of nmse
  double psnr_db = 0;       // peak: the range
  bool identical = false;   // bit-identical
};

// All values of a tensor of any type.
std::vector<double> numbers_of(const HostTensor& tensor);

// Both must have the same shape and type; a mismatch compares as infinitely far.
Comparison compare(const HostTensor& reference, const HostTensor& got);

// "max abs 1.2e-06 (of range 0.998: 1.2e-06) at 1234, NMSE 3.4e-13, PSNR 120.1 dB"
std::string to_string(const Comparison& comparison);

// Intersection over union of the elements above `threshold`; 1 if neither has any. float32 only.
double mask_iou(const HostTensor& reference, const HostTensor& got, float threshold = 0.5f);

// The same for a tensor whose last dimension has one value per class: the number of pixels whose largest class is
// `label` in both, divided by the number of those where it is in either.
double class_iou(const HostTensor& reference, const HostTensor& got, int32_t label);

}  // namespace sightglass::test
