// The tensors of a file's subgraph, checked, with what has become of each while operators are imported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tflite/import.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {

struct FileTensor {
  std::string name;
  int32_t index = 0;
  schema::TensorType file_type = schema::TensorType::FLOAT32;
  std::optional<DataType> type;  // none for the format's types that the engine has no counterpart of
  Shape shape;                   // as declared, until an operator's shape is inferred
  bool shape_declared = false;
  uint32_t supposed_dims = 0;  // a bit for each dimension that is declared, but may be of another size
  bool dynamic = false;        // the file leaves a dimension open
  bool sparse = false;         // its data is compressed, and not in `constant`
  bool variable = false;       // keeps its contents from run to run
  Quantization quantization;
  std::optional<Constant> constant;

  bool available = false;  // an input, a constant, or written by an operator that came before
  bool opaque = false;     // written by an operator that is not supported: its shape is no more than a claim
  ValueId value = kNone;   // in the graph, once something there refers to it

  std::string describe() const { return quote(name) + " (tensor " + std::to_string(index) + ")"; }
  std::string type_name() const;  // "float32", or the format's name of a type that the engine has no counterpart of
};

// All tensors of the subgraph, in the file's order. Every shape, size, buffer and quantisation has been checked.
Result<std::vector<FileTensor>> read_tensors(ModelFile& file, const ImportOptions& options);

}  // namespace sightglass::tflite
