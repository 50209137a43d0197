// Element types that each operator accepts and produces: one table for the importer, verify(), the reference and the
// choice of kernels.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass {

// An operator with its inputs and outputs. Absent inputs are null.
struct TypedOp {
  OpType op = OpType::kReshape;
  Activation activation = Activation::kNone;
  std::vector<const Value*> inputs, outputs;
};
TypedOp typed_op(const Graph& graph, const Node& node);

// Fails with kUnsupported, naming the tensor, on a type that the operator does not accept or does not produce from the
// others.
Status check_types(const TypedOp& op);

// Default type of output `index`: the type of the data for most operators.
DataType natural_type(const TypedOp& op, size_t index);

// The rules above in words: "float32".
struct TypeNames {
  std::vector<std::string> taken;  // of the data
  std::vector<std::string> made;   // equal to `taken` if results have the type of the data
  std::string others;              // of other inputs; empty: as the data
};
TypeNames type_names(OpType op);
// Meaning of each word.
struct TypeWord {
  std::string word, meaning;
};
std::vector<TypeWord> type_words();

// Whether elements are unquantized integers or booleans.
bool is_integer(const Value& value);

}  // namespace sightglass
