// One small valid model for each operator and each of its ways: what the tests of whole files read, and what fuzzing
// starts from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sightglass::test {

struct SampleModel {
  std::string name;  // "conv_2d_same"; fit for a file name
  std::vector<std::byte> bytes;
};

std::vector<SampleModel> sample_models();

}  // namespace sightglass::test
