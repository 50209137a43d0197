// Rewrites: small functions that make the graph cheaper without changing what it computes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass {

// Result of applying a rewrite to a node.
struct RewriteOutcome {
  enum Kind { kNotMatched, kApplied, kDeclined } kind = kNotMatched;
  std::string reason;  // for kDeclined: the failed condition

  static RewriteOutcome not_matched() { return {}; }
  static RewriteOutcome applied() { return {kApplied, {}}; }
  static RewriteOutcome declined(std::string why) { return {kDeclined, std::move(why)}; }
};

struct Rewrite {
  const char* name;  // kebab-case, as in reports and tests: "fold-padding"
  // Tries the pattern that ends in (or is rooted at) `node`. Must leave the graph valid in every case.
  RewriteOutcome (*apply)(Graph& graph, NodeId node);
  bool any_type = false;  // otherwise only for nodes with only float32 tensors
};

// In order of execution.
std::span<const Rewrite> all_rewrites();

struct RewriteReport {
  struct Entry {
    std::string rewrite, node, reason;  // reason is empty when applied
  };
  std::vector<Entry> applied, declined;
};

// Runs every rewrite on every node until nothing changes. Verifies the graph after each pass; on a failure, the error
// names the rewrite.
Result<RewriteReport> run_rewrites(Graph& graph, std::span<const Rewrite> rewrites = all_rewrites());

// Helpers of the rewrites, and the rewrites themselves. rewrites.cpp defines their order.

RewriteOutcome fold_constants(Graph& graph, NodeId id);
RewriteOutcome remove_identities(Graph& graph, NodeId id);
RewriteOutcome join_slices(Graph& graph, NodeId id);
RewriteOutcome recognize_hard_swish(Graph& graph, NodeId id);
RewriteOutcome recognize_swish(Graph& graph, NodeId id);
RewriteOutcome tabulate_function(Graph& graph, NodeId id);
RewriteOutcome quantize_before_moving(Graph& graph, NodeId id);
RewriteOutcome fuse_table(Graph& graph, NodeId id);
RewriteOutcome merge_dimensions(Graph& graph, NodeId id);
RewriteOutcome dilate_convolution(Graph& graph, NodeId id);
RewriteOutcome fold_padding(Graph& graph, NodeId id);
RewriteOutcome merge_quantizations(Graph& graph, NodeId id);
RewriteOutcome fold_scale_bias(Graph& graph, NodeId id);
RewriteOutcome sink_resize(Graph& graph, NodeId id);
RewriteOutcome split_broadcast(Graph& graph, NodeId id);
RewriteOutcome fuse_gate(Graph& graph, NodeId id);
RewriteOutcome fuse_residual(Graph& graph, NodeId id);
RewriteOutcome fuse_addend(Graph& graph, NodeId id);
RewriteOutcome fold_residual_padding(Graph& graph, NodeId id);
RewriteOutcome fold_residual_pool(Graph& graph, NodeId id);
RewriteOutcome fold_residual_resize(Graph& graph, NodeId id);
RewriteOutcome fuse_depthwise(Graph& graph, NodeId id);
RewriteOutcome fuse_spread(Graph& graph, NodeId id);
RewriteOutcome fuse_excitation(Graph& graph, NodeId id);
RewriteOutcome fuse_mean(Graph& graph, NodeId id);
RewriteOutcome global_pool(Graph& graph, NodeId id);
RewriteOutcome fuse_activation(Graph& graph, NodeId id);

namespace rewriting {

// Whether nodes of the operator can have the activation; PRELU only with weights.
bool can_activate(OpType op, Activation activation);

// The reason why the producer of `value` cannot take over `activation`; empty if it can. The value must have exactly
// `readers` uses: those that the activation replaces.
std::optional<std::string> obstacle_to_activating(const Graph& graph, ValueId value, Activation activation,
                                                  size_t readers);

// The reason why the CONV_2D or DEPTHWISE_CONV_2D `conv` cannot take a residual, a gate or an addend; empty if it can:
// its kernel has float weights.
std::optional<std::string> obstacle_to_more_operands(const Graph& graph, NodeId conv);

// Whether the node is a convolution or a fully connected layer in integers of 8 bits that reads only its data and
// constants.
bool sums_into_integers(const Graph& graph, NodeId id);

// Type, shape and quantization of a value, without its place in the graph.
Value unlinked(const Graph& graph, ValueId value);

// Gives `activation` to the producer of `from`, which then writes `to`. Removes the nodes that computed `to` from
// `from`.
void activate_producer(Graph& graph, ValueId from, Activation activation, ValueId to);

// Whether the node is a CONV_2D whose output pixels each depend only on the same pixel of its data.
bool is_pointwise_conv(const Graph& graph, const Node& node);

// Replaces node `id` by `node`, with the same outputs.
void replace_node(Graph& graph, NodeId id, Node node);

// Whether the value has exactly one use and is not an output of the graph.
bool read_once(const Graph& graph, ValueId value);

// The value that all elements of the constant have, to a relative 1e-4; empty for other values.
std::optional<float> uniform_constant(const Graph& graph, ValueId id);
bool is_near(std::optional<float> number, float expected);

// The constant as one value per each of `channels` of the last dimension, if broadcasting allows it.
std::optional<std::vector<float>> per_channel(const Graph& graph, ValueId id, int32_t channels);

// The size of the last dimension; 1 for a scalar.
int32_t channels_of(const Shape& shape);

}  // namespace rewriting
}  // namespace sightglass
