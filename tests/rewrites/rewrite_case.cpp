#include "rewrites/rewrite_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "harness/compare.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "rewrites/rewrites.h"

namespace sightglass::test {
namespace {

constexpr double kMaxNmse = 1e-12;

std::span<const Rewrite> rewrite_named(const std::string& name) {
  const std::span<const Rewrite> all = all_rewrites();
  for (size_t i = 0; i < all.size(); ++i) {
    if (name == all[i].name) return all.subspan(i, 1);
  }
  ADD_FAILURE() << "unknown rewrite '" << name << "'";
  return {};
}

std::vector<OpType> operators_of(const Graph& graph) {
  std::vector<OpType> ops;
  for (const NodeId id : graph.order()) ops.push_back(graph.node(id).op);
  return ops;
}

void expect_same_outputs(const OpCase& before, const Graph& after) {
  const auto expected = value_of(ref::run(before.graph, before.inputs));
  const auto got = ref::run(after, before.inputs);
  ASSERT_TRUE(got.ok()) << got.status().message() << "\n" << dump_text(after);
  ASSERT_EQ(expected.size(), got->size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Comparison comparison = compare(expected[i], (*got)[i]);
    std::printf("%s, output %zu: %s\n", before.name.c_str(), i, to_string(comparison).c_str());
    EXPECT_LE(comparison.nmse, kMaxNmse) << before.name << ", output " << i;
    EXPECT_GT(comparison.range, 0) << before.name << ": a constant output proves nothing";
  }
}

}  // namespace

void set_values(Graph& graph, ValueId id, const std::vector<float>& values) {
  const ValueId other = graph.add_constant("", graph.value(id).shape, values);
  graph.value(id).constant = graph.value(other).constant;
}

void store_as_half(Graph& graph, ValueId id) {
  const auto halves = std::make_shared<std::vector<uint16_t>>();
  for (const float value : graph.floats(id)) halves->push_back(float_to_half(value));
  graph.value(id).constant = Constant{DataType::kFloat16, std::as_bytes(std::span(*halves)), halves};
}

ValueId conv(CaseBuilder& builder, ValueId data, const ConvSpec& spec) {
  const ValueId weights = builder.constant({spec.out, spec.kernel, spec.kernel, spec.in});
  std::vector<ValueId> inputs{data, weights};
  if (spec.bias) inputs.push_back(builder.constant({spec.out}));
  return builder.node(OpType::kConv2d, Conv2dAttr{spec.padding, spec.stride, spec.stride, 1, 1}, std::move(inputs),
                      spec.activation);
}

ValueId unary(CaseBuilder& builder, OpType op, ValueId data) { return builder.node(op, {}, {data}); }

Graph expect_applied(const std::string& name, OpCase before, const std::vector<OpType>& ops) {
  Graph after = before.graph;
  const auto report = value_of(run_rewrites(after, rewrite_named(name)));
  EXPECT_FALSE(report.applied.empty()) << name << " was not applied to\n" << dump_text(before.graph);
  for (const RewriteReport::Entry& entry : report.declined) ADD_FAILURE() << entry.node << ": " << entry.reason;
  EXPECT_EQ(operators_of(after), ops) << dump_text(after);
  expect_same_outputs(before, after);
  return after;
}

void expect_declined(const std::string& name, const OpCase& before, const std::string& reason) {
  Graph after = before.graph;
  const auto report = value_of(run_rewrites(after, rewrite_named(name)));
  EXPECT_TRUE(report.applied.empty());
  EXPECT_EQ(dump_text(after), dump_text(before.graph));
  const bool found = std::ranges::any_of(report.declined, [&](const RewriteReport::Entry& entry) {
    return entry.rewrite == name && entry.reason.find(reason) != std::string::npos;
  });
  std::string reasons;
  for (const RewriteReport::Entry& entry : report.declined) reasons += "\n  " + entry.node + ": " + entry.reason;
  EXPECT_TRUE(found) << before.name << ": no reason contains '" << reason << "':" << reasons;
}

void expect_not_matched(const std::string& name, const OpCase& before) {
  Graph after = before.graph;
  const auto report = value_of(run_rewrites(after, rewrite_named(name)));
  EXPECT_TRUE(report.applied.empty());
  EXPECT_TRUE(report.declined.empty());
  EXPECT_EQ(dump_text(after), dump_text(before.graph));
}

}  // namespace sightglass::test
