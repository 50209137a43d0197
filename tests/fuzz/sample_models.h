// One small valid model per operator and variant, for tests of whole files and as the initial corpus.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sightglass::test {

struct SampleModel {
  std::string name;  // such as "conv_2d_same"; usable as a file name
  std::vector<std::byte> bytes;
};

std::vector<SampleModel> sample_models();

}  // namespace sightglass::test
