// Graphs to rewrite, and what to expect of one rewrite run alone on them.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "ops/op_case.h"

namespace sightglass::test {

// Gives the constant `id` these values.
void set_values(Graph& graph, ValueId id, const std::vector<float>& values);

// The same values, stored as float16.
void store_as_half(Graph& graph, ValueId id);

struct ConvSpec {
  int32_t in = 4, out = 8, kernel = 3;
  Padding2d padding = {};  // VALID
  bool bias = true;
  Activation activation = Activation::kNone;
  int32_t stride = 1;
};
ValueId conv(CaseBuilder& builder, ValueId data, const ConvSpec& spec = {});

// The one operator with an activation, or another one-input node.
ValueId unary(CaseBuilder& builder, OpType op, ValueId data);

// Runs the rewrite `name` alone until it changes nothing. Expects it to be applied, the operators that are left to be
// `ops` in this order, and the outputs to stay the same on random inputs: NMSE <= 1e-12, printed. Returns the graph.
Graph expect_applied(const std::string& name, OpCase before, const std::vector<OpType>& ops);

// Expects the rewrite to be declined, for a reason that contains `reason`, and the graph to be left as it is.
void expect_declined(const std::string& name, const OpCase& before, const std::string& reason);

// Expects the rewrite to find nothing of its kind.
void expect_not_matched(const std::string& name, const OpCase& before);

}  // namespace sightglass::test
