// Checked tensors of a subgraph, with their state during the import of operators.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"
#include "tflite/import.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {

// Constants stored without their zeros.

// All elements of a tensor of `shape`, of `element_size` bytes each, including zeros. `values` are the stored ones in
// traversal order. Fails if the description is inconsistent with itself, the shape, or the number of values.
Result<std::vector<std::byte>> expand_sparse(const schema::SparsityParameters& sparsity, const Shape& shape,
                                             size_t element_size, std::span<const std::byte> values);

struct FileTensor {
  std::string name;
  int32_t index = 0;
  schema::TensorType file_type = schema::TensorType::FLOAT32;
  std::optional<DataType> type;  // empty for types of the format that the engine does not have
  Shape shape;                   // as declared, until an operator's shape is inferred
  bool shape_declared = false;
  uint32_t supposed_dims = 0;  // one bit per declared dimension that may have another size
  bool dynamic = false;        // the file leaves a dimension open
  bool sparse = false;         // its data are compressed and not in `constant`
  bool variable = false;       // keeps its contents from run to run
  Quantization quantization;
  std::optional<Constant> constant;

  bool available = false;                      // an input, a constant, or written by a preceding operator
  bool opaque = false;                         // written by an unsupported operator: its shape is unverified
  ValueId value = kNone;                       // in the graph, once used there
  std::array<ValueId, 2> parts{kNone, kNone};  // of complex numbers: real and imaginary
  int32_t variable_index = -1;                 // of a handle: the variable, in the importer's list

  std::string describe() const { return quote(name) + " (tensor " + std::to_string(index) + ")"; }
  std::string type_name() const;  // "float32", or the name in the format if the engine does not have the type
};

// All tensors of a subgraph, in file order. All shapes, sizes, buffers and quantizations have been checked.
// `expandable_bytes` is the memory left for expanded sparse tensors of the file.
Result<std::vector<FileTensor>> read_tensors(ModelFile& file, const schema::SubGraph& subgraph,
                                             const ImportOptions& options, int64_t& expandable_bytes);

}  // namespace sightglass::tflite
