// Samples of reference outputs: which of a tensor's numbers the repository keeps. tests/golden/README.md is the
// definition; changing it makes the stored samples worthless.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu_engine/tensor.h"

namespace sightglass::test {

inline constexpr int64_t kSampleNumbers = 4096;  // of each output, at most

// A tensor as rows of equally many numbers, none of which is taken without the others.
struct Rows {
  int64_t count = 0, length = 1;
};
Rows rows_of(const Shape& shape);

// Whether the sample of such a tensor is all of it.
bool is_sampled_whole(const Shape& shape);

// The rows of a larger tensor that its sample has, ascending: those that the seeded stream chooses, and `extremes`.
std::vector<int64_t> sampled_rows(const Shape& shape, std::span<const int64_t> extremes);
// The rows with the smallest and the largest number, so that a sample has the range of the whole.
std::vector<int64_t> rows_of_extremes(const HostTensor& whole);

// Those rows, as a tensor of rows × numbers in a row.
HostTensor take_rows(const HostTensor& whole, std::span<const int64_t> rows);

}  // namespace sightglass::test
