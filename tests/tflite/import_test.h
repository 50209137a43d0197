// Shared by the tests of the importer.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "model_builder.h"
#include "tflite/import.h"

namespace sightglass::test {

inline Result<Graph> import_bytes(const std::vector<std::byte>& bytes, const tflite::ImportOptions& options = {}) {
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes);
  return tflite::import(*copy, copy, "m.tflite", options);
}

// Returns the graph of a model that must import and pass verify(). Otherwise fails the test and returns an empty graph.
inline Graph imported(const ModelBuilder& builder) {
  Result<Graph> graph = import_bytes(builder.build());
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().message();
    return {};
  }
  const Status valid = verify(*graph);
  EXPECT_TRUE(valid.ok()) << valid.message();
  return std::move(graph).value();
}

// The only node of the graph.
inline const Node& only_node(const Graph& graph) {
  EXPECT_EQ(graph.order().size(), 1u) << dump_text(graph);
  return graph.node(graph.order().at(0));
}

inline Shape output_shape(const Graph& graph) { return graph.value(graph.outputs.at(0)).shape; }

// Expects that the model is rejected with that code, and that the message contains all `parts`.
inline void expect_refused(const ModelBuilder& builder, ErrorCode code, const std::vector<std::string>& parts,
                           const tflite::ImportOptions& options = {}) {
  const Result<Graph> graph = import_bytes(builder.build(), options);
  ASSERT_FALSE(graph.ok()) << "it was imported: " << dump_text(*graph);
  const std::string& message = graph.status().message();
  EXPECT_EQ(graph.status().code(), code) << message;
  EXPECT_NE(message.find("m.tflite"), std::string::npos) << "the message does not name the model: " << message;
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

}  // namespace sightglass::test
