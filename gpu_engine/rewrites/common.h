// What the rewrites share, and the rewrites themselves, which rewrites.cpp puts in order.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "rewrites/rewrites.h"

namespace sightglass {

RewriteOutcome fold_constants(Graph& graph, NodeId id);
RewriteOutcome remove_identities(Graph& graph, NodeId id);
RewriteOutcome recognise_hard_swish(Graph& graph, NodeId id);
RewriteOutcome recognise_swish(Graph& graph, NodeId id);
RewriteOutcome dilate_convolution(Graph& graph, NodeId id);
RewriteOutcome fold_padding(Graph& graph, NodeId id);
RewriteOutcome fold_scale_bias(Graph& graph, NodeId id);
RewriteOutcome sink_resize(Graph& graph, NodeId id);
RewriteOutcome split_broadcast(Graph& graph, NodeId id);
RewriteOutcome fuse_gate(Graph& graph, NodeId id);
RewriteOutcome fuse_residual(Graph& graph, NodeId id);
RewriteOutcome fuse_depthwise(Graph& graph, NodeId id);
RewriteOutcome global_pool(Graph& graph, NodeId id);
RewriteOutcome fuse_activation(Graph& graph, NodeId id);

namespace rewriting {

// Whether the operator's node can carry an activation; PRELU only those that have weights.
bool can_activate(OpType op, Activation activation);

// Why `activation` cannot become that of the node which makes `value`, or nothing when it can. Only `readers` uses of
// the value may exist: those that the activation takes the place of.
std::optional<std::string> obstacle_to_activating(const Graph& graph, ValueId value, Activation activation,
                                                  size_t readers);

// Why the CONV_2D `conv` cannot take a residual or a gate, or nothing when it can, its kernel being that of float
// weights.
std::optional<std::string> obstacle_to_more_operands(const Graph& graph, NodeId conv);

// `activation` becomes that of the node which makes `from`, and the node makes `to` instead; what computed `to` from
// `from` loses its meaning and is removed.
void activate_producer(Graph& graph, ValueId from, Activation activation, ValueId to);

// Whether it is a CONV_2D each pixel of whose output depends on the same pixel of its data, and on no other.
bool is_pointwise_conv(const Graph& graph, const Node& node);

// Puts `node` in the place of node `id`, with the same outputs.
void replace_node(Graph& graph, NodeId id, Node node);

// Whether one node alone reads the value, once, and it is no output of the graph.
bool read_once(const Graph& graph, ValueId value);

// The number that all elements of the constant have, to a relative 1e-4; nothing for other values.
std::optional<float> uniform_constant(const Graph& graph, ValueId id);
bool is_near(std::optional<float> number, float expected);

// The constant as one number for each of `channels` of a tensor's last dimension, when broadcasting makes it so.
std::optional<std::vector<float>> per_channel(const Graph& graph, ValueId id, int32_t channels);

// The size of the last dimension; 1 for a scalar.
int32_t channels_of(const Shape& shape);

}  // namespace rewriting
}  // namespace sightglass
