// Rewrites: small functions that make the graph cheaper without changing what it computes.
#pragma once

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

}  // namespace sightglass
