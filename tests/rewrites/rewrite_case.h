// Builds graphs, and checks the effect of a single rewrite on them.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "ops/op_case.h"

namespace sightglass::test {

inline constexpr Padding2d kSame{PaddingMode::kSame, 0, 0, 0, 0};

// Sets the values of the constant `id`.
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

// An operator with an activation, or another one-input node.
ValueId unary(CaseBuilder& builder, OpType op, ValueId data);

// Runs only the rewrite `name` until it changes nothing. Expects that it applies, that the remaining operators are
// `ops` in this order, and that the outputs for random inputs do not change: NMSE <= 1e-12, printed. Returns the graph.
Graph expect_applied(const std::string& name, OpCase before, const std::vector<OpType>& ops);

// Expects that the rewrite declines with a reason that contains `reason`, and leaves the graph unchanged.
void expect_declined(const std::string& name, const OpCase& before, const std::string& reason);

// Expects that the rewrite does not match.
void expect_not_matched(const std::string& name, const OpCase& before);

}  // namespace sightglass::test
