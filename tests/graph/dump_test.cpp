// Texts of graphs, and how untrusted text is changed before it is shown.
#include <gtest/gtest.h>

#include "gpu_engine/quoted.h"
#include "graph_case.h"

namespace sightglass::test {
namespace {

// A convolution with an activation, a half-precision weight, an absent bias, and a slope.
Graph make_convolution() {
  Graph graph;
  graph.name = "a \"quoted\" name";
  const ValueId in = add_input(graph, "in", {1, 4, 4, 1});
  const ValueId weights = add_half_constant(graph, "weights", {1, 2, 3, 4}, DataType::kFloat32);
  graph.value(weights).shape = {1, 2, 2, 1};
  const ValueId slope = graph.add_constant("slope", {1}, std::vector<float>{0.5f});
  const Conv2dAttr attr{{PaddingMode::kSame}, 2, 1, 1, 1};
  graph.outputs = {add_op(graph, OpType::kConv2d, attr, {in, weights, kNone, slope}, "out")};
  graph.node(0).activation = Activation::kPrelu;
  return graph;
}

TEST(DumpText, HasOneLinePerNode) {
  EXPECT_EQ(dump_text(make_chain().graph),
            "graph 'chain'\n"
            "input %0 'in' float32 1x4\n"
            "%1 'relu' float32 1x4 = RELU(%0)  # RELU #0\n"
            "%2 'sum' float32 1x4 = ADD(%1, %1)  # ADD #1\n"
            "%3 'out' float32 2x2 = RESHAPE(%2)  # RESHAPE #2\n"
            "output %3\n");
}

TEST(DumpText, AttributesConstantsAndAbsentInputs) {
  EXPECT_EQ(dump_text(make_convolution()),
            "graph 'a \"quoted\" name'\n"
            "input %0 'in' float32 1x4x4x1\n"
            "%3 'out' float32 1x2x4x1 = CONV_2D(%0, const(%1 float16 1x2x2x1), -, const(%2 float32 1))"
            " padding=same[0,0,0,1] stride=2x1 dilation=1x1 activation=prelu  # CONV_2D #0\n"
            "output %3\n");
}

TEST(DumpText, RemovedNodesAreGone) {
  Chain chain = make_chain();
  chain.graph.outputs = {chain.sum};
  chain.graph.remove_node(2);
  EXPECT_EQ(dump_text(chain.graph).find("RESHAPE"), std::string::npos);
}

TEST(DumpGraphviz, NodesAndEdges) {
  EXPECT_EQ(dump_graphviz(make_chain().graph),
            "digraph \"chain\" {\n"
            "  node [shape=box];\n"
            "  v0 [shape=ellipse, label=\"in\"];\n"
            "  n0 [label=\"RELU\"];\n"
            "  v0 -> n0 [label=\"1x4\"];\n"
            "  n1 [label=\"ADD\"];\n"
            "  n0 -> n1 [label=\"1x4\"];\n"
            "  n0 -> n1 [label=\"1x4\"];\n"
            "  n2 [label=\"RESHAPE\"];\n"
            "  n1 -> n2 [label=\"1x4\"];\n"
            "  output0 [shape=ellipse, label=\"out\"];\n"
            "  n2 -> output0 [label=\"2x2\"];\n"
            "}\n");
}

TEST(DumpGraphviz, QuotesNamesAndListsConstants) {
  const std::string text = dump_graphviz(make_convolution());
  EXPECT_EQ(text.find("digraph \"a \\\"quoted\\\" name\" {"), 0u) << text;
  EXPECT_NE(text.find("n0 [label=\"CONV_2D\\nconst 1x2x2x1\\nconst 1\\nprelu\"];"), std::string::npos) << text;
}

TEST(Quoted, PlainTextIsUnchanged) {
  for (const char* text : {"", "conv/relu", "größe", "犬 猫", "👩\u200d👧", "it's \"quoted\"", "a\u0301"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(sightglass::quote(text), "'" + std::string(text) + "'");
  }
}

TEST(Quoted, TerminalControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable("\x1b[31mred\x07\n\r\t\x7f"), "?[31mred?????");
  // C1: as code points, and as the bytes that 8-bit terminals interpret.
  EXPECT_EQ(printable("\u009b31m\u0085\u009d"), "?31m??");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "?31m");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Quoted, DirectionChangesBecomeQuestionMarks) {
  for (const char* control : {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069",
                              "\u200e", "\u200f", "\u061c", "\u2028", "\u2029", "\u200b", "\ufeff", "\U000e0041"}) {
    EXPECT_EQ(printable("a" + std::string(control) + "b"), "a?b");
  }
}

TEST(Quoted, InvalidUtf8BecomesQuestionMarks) {
  EXPECT_EQ(printable("\xff\xfe"), "??");
  EXPECT_EQ(printable("\xc3"), "?");                 // cut off
  EXPECT_EQ(printable("\xe7\x8a"), "??");            // cut off
  EXPECT_EQ(printable("\xc0\x9b"), "??");            // overlong
  EXPECT_EQ(printable("\xe0\x82\x9b"), "???");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond the last code point
  EXPECT_EQ(printable("\xc3(x"), "?(x");
}

TEST(Quoted, LongTextIsTruncatedBetweenCharacters) {
  EXPECT_EQ(printable("aä", 2), "a…");
  EXPECT_EQ(printable("aä", 3), "aä");
  EXPECT_EQ(sightglass::quote(std::string(160, 'x')), "'" + std::string(160, 'x') + "'");
  EXPECT_EQ(sightglass::quote(std::string(161, 'x')), "'" + std::string(160, 'x') + "…'");
}

TEST(Quoted, JsonUsesEscapes) {
  EXPECT_EQ(printable_json("{\n  \"a\": \"größe 犬\"\n}\n"), "{\n  \"a\": \"größe 犬\"\n}\n");
  EXPECT_EQ(printable_json("\"\u009b\u202e\x7f\U000e0041\""), "\"\\u009b\\u202e\\u007f\\udb40\\udc41\"");
}

}  // namespace
}  // namespace sightglass::test
