// Rewrites: small functions that make the graph cheaper without changing what it computes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass {

// What became of one attempt of a rewrite on one node.
struct RewriteOutcome {
  enum Kind { kNotMatched, kApplied, kDeclined } kind = kNotMatched;
  std::string reason;  // for kDeclined: which condition failed

  static RewriteOutcome not_matched() { return {}; }
  static RewriteOutcome applied() { return {kApplied, {}}; }
  static RewriteOutcome declined(std::string why) { return {kDeclined, std::move(why)}; }
};

struct Rewrite {
  const char* name;  // kebab-case, as in reports and tests: "fold-padding"
  // Tries the pattern that ends in (or is rooted at) `node`. Must leave the graph valid whatever it returns.
  RewriteOutcome (*apply)(Graph& graph, NodeId node);
  bool any_type = false;  // else only nodes whose tensors are all float32 are tried
};

// In the order in which they run.
std::span<const Rewrite> all_rewrites();

struct RewriteReport {
  struct Entry {
    std::string rewrite, node, reason;  // reason is empty when applied
  };
  std::vector<Entry> applied, declined;
};

// Runs every rewrite over every node until nothing changes, verifying the graph after each application.
Result<RewriteReport> run_rewrites(Graph& graph, std::span<const Rewrite> rewrites = all_rewrites());

}  // namespace sightglass
