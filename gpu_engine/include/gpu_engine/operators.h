// Supported operators and their limits: the same tables that the engine uses, for documentation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sightglass {

struct OperatorSupport {
  std::string name;                                        // as in the file format: "CONV_2D", "CUSTOM 'Name'"
  size_t min_inputs = 1, max_inputs = 1, max_outputs = 1;  // in a file; SIZE_MAX: any number
  std::vector<std::string> takes, makes;                   // element types, as named in `types` below; empty: any
  std::string other_inputs;          // types of the inputs other than the data; empty: as the data
  bool while_loading = false;        // its result is constant, or computed, when a model is loaded
  std::vector<std::string> kernels;  // on the GPU, in order of preference; empty: CPU only
  std::vector<std::string> limits;
};

struct SupportTable {
  struct Entry {
    std::string name, meaning;
  };
  std::vector<Entry> types;              // names of types
  std::vector<std::string> activations;  // that can be fused
  int max_dimensions = 0;                // of a tensor on the GPU
  int max_dimensions_loading = 0;        // of a tensor used only while loading
  std::vector<OperatorSupport> operators;
  std::vector<Entry> refused;  // unsupported operators of the format, with alternatives
};

SupportTable supported_operators();

}  // namespace sightglass
