// A graph with a state.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace sightglass::test {

// One value that accumulates over the runs: a state that its node reads, and that is copied back after it.
inline Graph running_sum(bool begins_at_ten) {
  Graph graph;
  graph.name = "running sum";
  const auto value = [&graph](const char* name) {
    Value v;
    v.name = name;
    v.shape = {1, 2, 3, 5};
    return graph.add_value(std::move(v));
  };
  const ValueId in = value("in"), sum = value("sum"), next = value("next"), twice = value("twice");
  Node add;
  add.op = OpType::kAdd;
  add.inputs = {in, sum};
  add.outputs = {next};
  graph.add_node(add);
  Node late;  // reads the old state after the next one has been computed
  late.op = OpType::kAdd;
  late.inputs = {sum, next};
  late.outputs = {twice};
  graph.add_node(late);
  graph.inputs = {in};
  graph.outputs = {next, twice};
  graph.states = {{sum, next, std::nullopt}};
  if (begins_at_ten) {
    const auto tens = std::make_shared<std::vector<float>>(30, 10.0f);
    graph.states[0].initial = Constant{DataType::kFloat32, std::as_bytes(std::span(*tens)), tens};
  }
  return graph;
}

}  // namespace sightglass::test
