// Which types of elements each operator takes, and which it makes of them: one table for the importer, verify(), the
// reference and the choice of kernels.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass {

// An operator with what it reads and writes. Inputs are null where absent.
struct TypedOp {
  OpType op = OpType::kReshape;
  Activation activation = Activation::kNone;
  std::vector<const Value*> inputs, outputs;
};
TypedOp typed_op(const Graph& graph, const Node& node);

// Fails with kUnsupported, naming the tensor, on a type that the operator does not take, or does not make of the
// others.
Status check_types(const TypedOp& op);

// What output `index` is when nobody has declared it: the type of the data for most operators.
DataType natural_type(const TypedOp& op, size_t index);

// The rules above as words, for people: "float32".
struct TypeNames {
  std::vector<std::string> taken;  // by the data
  std::vector<std::string> made;   // the same as taken where results are of the data's type
  std::string others;              // of further inputs; empty: as the data
};
TypeNames type_names(OpType op);
// What each of these words stands for.
struct TypeWord {
  std::string word, meaning;
};
std::vector<TypeWord> type_words();

// Whether elements are integers or booleans that stand for themselves.
bool is_integer(const Value& value);

}  // namespace sightglass
