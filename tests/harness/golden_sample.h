// Samples of reference outputs: the elements of a tensor that the repository stores. tests/golden/README.md is the
// definition. Changing it invalidates the stored samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass::test {

inline constexpr int64_t kSampleNumbers = 4096;  // maximum per output

// A tensor as rows of equal length. A sample contains whole rows.
struct Rows {
  int64_t count = 0, length = 1;
};
Rows rows_of(const Shape& shape);

// Whether the sample of such a tensor is the whole tensor.
bool is_sampled_whole(const Shape& shape);

// The rows in the sample of a larger tensor, ascending: those chosen by the seeded stream, and `extremes`.
std::vector<int64_t> sampled_rows(const Shape& shape, std::span<const int64_t> extremes);
// The rows with the minimum and the maximum, so that a sample has the range of the whole tensor.
std::vector<int64_t> rows_of_extremes(const HostTensor& whole);

// Returns those rows as a tensor of rows × row length.
HostTensor take_rows(const HostTensor& whole, std::span<const int64_t> rows);

}  // namespace sightglass::test
