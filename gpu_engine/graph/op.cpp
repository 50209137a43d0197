#include "graph/op.h"

#include <algorithm>

#include "graph/operator_table.h"

namespace sightglass {

using operators::has;
using operators::row_of;

bool fits(OpType op, const Attributes& attributes) {
  if (std::holds_alternative<SumAttr>(attributes)) return op == OpType::kAdd || op == OpType::kSub;
  return attributes.index() == row_of(op).attributes;
}

bool has_weights(OpType op) { return has(op, operators::kHasWeights); }

bool packs_constants(OpType op) { return has(op, operators::kPacksConstants); }

std::vector<OpType> all_ops() {
  std::vector<OpType> ops(operators::kTable.size());
  std::ranges::transform(operators::kTable, ops.begin(), &operators::Row::op);
  return ops;
}

Activation activation_of(OpType op) { return row_of(op).activation; }

bool moves_as_is(OpType op) { return has(op, operators::kMovesAsIs); }

const char* to_string(OpType op) { return row_of(op).name; }

const char* to_string(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return "none";
    case Activation::kRelu:
      return "relu";
    case Activation::kRelu6:
      return "relu6";
    case Activation::kReluN1To1:
      return "relu_n1_to_1";
    case Activation::kTanh:
      return "tanh";
    case Activation::kLogistic:
      return "logistic";
    case Activation::kHardSwish:
      return "hard_swish";
    case Activation::kHardSigmoid:
      return "hard_sigmoid";
    case Activation::kSwish:
      return "swish";
    case Activation::kPrelu:
      return "prelu";
  }
  return "unknown";
}

}  // namespace sightglass
