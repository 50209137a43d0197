// Which operators the engine knows, and within which limits: the facts that it decides by, for documentation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sightglass {

struct OperatorSupport {
  std::string name;                                        // as the format has it: "CONV_2D", "CUSTOM 'Name'"
  size_t min_inputs = 1, max_inputs = 1, max_outputs = 1;  // in a file; SIZE_MAX: any number
  std::vector<std::string> takes, makes;  // types of elements, in words of `types` below; empty: does not matter
  std::string other_inputs;               // what inputs beside the data are; empty: as the data
  bool while_loading = false;             // its result is known, or computed, when a model is loaded
  std::vector<std::string> kernels;       // on the GPU, in order of preference; empty: only on the CPU
  std::vector<std::string> limits;
};

struct SupportTable {
  struct Entry {
    std::string name, meaning;
  };
  std::vector<Entry> types;              // the words for types
  std::vector<std::string> activations;  // that may be fused
  int max_dimensions = 0;                // of a tensor on the GPU
  int max_dimensions_loading = 0;        // of a tensor that is used while loading alone
  std::vector<OperatorSupport> operators;
  std::vector<Entry> refused;  // of the format's operators, with what would help
};

SupportTable supported_operators();

}  // namespace sightglass
