// Tests shaders/draw/ in compute shaders: primitives, labels, colors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "draw/label_table.h"
#include "draw/palette.h"
#include "gl/counting_gl.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "overlay_case.h"
#include "sightglass/shader_source.h"

namespace sightglass::test {
namespace {

// A compute shader with one invocation per primitive and the body `statement`.
std::string shader_around(const std::string& statement) {
  const std::string text =
      "layout(local_size_x = 1) in;\n#include \"draw/labels.glsl\"\n#include \"draw/palette.glsl\"\n"
      "layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };\n"
      "void main() {\n  int i = int(gl_WorkGroupID.x);\n" +
      statement + "}\n";
  const EmbeddedShader shader{"test.comp", text};
  const Result<std::string> source = assemble_shader({"test.comp", {}}, {element_shaders(), {&shader, 1}});
  EXPECT_TRUE(source.ok()) << source.status().message();
  return source.ok() ? *source : "";
}

class OverlayShaderTest : public OverlayCase {
 protected:
  PrimitiveBuffer run(const std::string& statement, GLsizei count, const LabelTable& table) {
    const std::string source = shader_around(statement);
    const char* text = source.c_str();
    const GlShader shader(gl(), gl().CreateShader(GL_COMPUTE_SHADER));
    gl().ShaderSource(shader.id(), 1, &text, nullptr);
    gl().CompileShader(shader.id());
    const GlProgram program(gl(), gl().CreateProgram());
    gl().AttachShader(program.id(), shader.id());
    gl().LinkProgram(program.id());
    GLint linked = 0;
    gl().GetProgramiv(program.id(), GL_LINK_STATUS, &linked);
    std::string log(4096, '\0');
    gl().GetShaderInfoLog(shader.id(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    EXPECT_NE(linked, 0) << log.c_str();
    PrimitiveBuffer buffer(gl(), count);
    if (linked == 0) return buffer;
    Pass pass(gl());
    pass.storage(1, buffer.storage());
    pass.storage(kLabelsBinding, table.block());
    pass.dispatch(program.id(), static_cast<GLuint>(count));
    return buffer;
  }
  PrimitiveBuffer run(const std::string& statement, GLsizei count) { return run(statement, count, {gl(), {}}); }

  template <typename Element>
  std::vector<Element> read(const BufferRange& range) {
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl().BindBuffer(GL_ARRAY_BUFFER, range.buffer);
    const auto* data =
        static_cast<const Element*>(gl().MapBufferRange(GL_ARRAY_BUFFER, range.offset, range.size, GL_MAP_READ_BIT));
    std::vector<Element> elements(data, data + static_cast<size_t>(range.size) / sizeof(Element));
    gl().UnmapBuffer(GL_ARRAY_BUFFER);
    gl().BindBuffer(GL_ARRAY_BUFFER, 0);
    return elements;
  }
  std::vector<Primitive> read(const PrimitiveBuffer& buffer) { return read<Primitive>(buffer.storage()); }
};

TEST_F(OverlayShaderTest, ShadersAndCpuLayOutPrimitivesAlike) {
  const PrimitiveBuffer buffer =
      run("if (i == 0) b_primitives[i] = line(vec2(1, 2), vec2(3, 4), 5.0, vec4(0.1, 0.2, 0.3, 0.4));\n"
          "if (i == 1) b_primitives[i] = outline(vec4(1, 2, 3, 4), 5.0, vec4(1));\n"
          "if (i == 2) b_primitives[i] = rectangle(vec4(1, 2, 3, 4), 5.0, vec4(1));\n"
          "if (i == 3) b_primitives[i] = Primitive(vec4(1), vec4(1), 1.0, PrimitiveKind_kText, 33, 0.0);\n"
          "if (i == 4) b_primitives[i] = invisible();\n",
          5);
  const std::vector<Primitive> written = read(buffer);
  EXPECT_EQ(written[0].ends, (std::array<float, 4>{1, 2, 3, 4}));
  EXPECT_EQ(written[0].color, (std::array<float, 4>{0.1F, 0.2F, 0.3F, 0.4F}));
  EXPECT_EQ(written[0].radius, 5);
  constexpr PrimitiveKind kKinds[] = {PrimitiveKind::kLine, PrimitiveKind::kOutline, PrimitiveKind::kRectangle,
                                      PrimitiveKind::kText};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(written[i].kind, kKinds[i]) << i;
  EXPECT_EQ(written[3].text, 33);
  EXPECT_EQ(written[4].radius, 0);
}

TEST_F(OverlayShaderTest, ColorsMatchTheCpu) {
  const std::vector<Primitive> written = read(run("b_primitives[i] = disc(vec2(0), 1.0, class_color(i));\n", 100));
  for (int i = 0; i < 100; ++i) {
    const std::array<float, 4> expected = class_color(i), now = written[static_cast<size_t>(i)].color;
    for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(now[c], expected[c], 1e-3) << i << ", " << c;
  }
}

// The position in the atlas shows which text a shader has chosen.
class LabelChoiceTest : public OverlayShaderTest {
 protected:
  static constexpr int32_t kHeight = 20;
  void choose_labels(const std::vector<std::string>& labels) {
    table_.emplace(gl(), labels);
    table_->set_height(kHeight);
    BufferRange places = table_->block();
    places.offset += 16;
    places.size -= 16;
    places_ = read<TextPlace>(places);
  }
  void TearDown() override {
    table_.reset();
    OverlayShaderTest::TearDown();
  }
  const TextPlace& percent(int number) const { return places_[static_cast<size_t>(number)]; }
  const TextPlace& name(int number) const { return places_[static_cast<size_t>(kMostPercent + 1 + number)]; }
  std::vector<Primitive> labelled_box(const std::string& box, const std::string& number, const std::string& score) {
    return read(run("b_primitives[i] = labelled_box(i, " + box + ", " + number + ", " + score +
                        ", vec4(0.2, 0.6, 1.0, 1.0), 320.0);\n",
                    4, *table_));
  }
  static void expect_text(const Primitive& primitive, const TextPlace& place) {
    ASSERT_EQ(primitive.kind, PrimitiveKind::kText);
    EXPECT_EQ(primitive.text, place.texel);
    EXPECT_EQ(primitive.radius, 1);
    EXPECT_EQ(primitive.ends[2] - primitive.ends[0], static_cast<float>(place.width));
    EXPECT_EQ(primitive.ends[3] - primitive.ends[1], kHeight);
    for (const float end : primitive.ends) EXPECT_EQ(end, std::round(end)) << "whole pixels";
  }
  std::optional<LabelTable> table_;

 private:
  std::vector<TextPlace> places_;
};

TEST_F(LabelChoiceTest, DependsOnClassAndScore) {
  std::vector<std::string> labels{"person", "a name that is much longer than there is room for", ""};
  labels.resize(3000, "x");
  labels[2500] = "further";
  choose_labels(labels);
  EXPECT_LE(name(1).width, 12 * kHeight);
  struct Label {
    int number;
    const char* score;
    int percent;
  };
  for (const Label& label :
       {Label{0, "0.874", 87}, {0, "1.0", 100}, {0, "0.02", 2}, {1, "0.5", 50}, {2500, "0.0", 0}, {0, "-3.0", 0}}) {
    const auto written = labelled_box("vec4(40, 50, 100, 80)", std::to_string(label.number), label.score);
    EXPECT_EQ(written[0].ends, (std::array<float, 4>{40, 50, 100, 80}));
    expect_text(written[2], name(label.number));
    expect_text(written[3], percent(label.percent));
    EXPECT_GT(written[3].ends[0], written[2].ends[2]) << "after the name";
    EXPECT_LT(written[1].ends[0], written[2].ends[0]) << "on a plate";
    EXPECT_GT(written[1].ends[2], written[3].ends[2]);
  }
  // Without a name, only the score is drawn.
  for (const char* number : {"2", "3000", "90000", "2147483647", "-1"}) {
    const auto written = labelled_box("vec4(40, 50, 100, 80)", number, "0.5");
    EXPECT_EQ(written[2].ends[0], written[2].ends[2]) << number;
    expect_text(written[3], percent(50));
    EXPECT_LT(written[3].ends[2] - written[1].ends[0], percent(50).width + kHeight);
  }
}

// If a box extends beyond the image, its label is moved inside.
TEST_F(LabelChoiceTest, StaysInTheFrame) {
  choose_labels({"cat"});
  const Primitive corner = labelled_box("vec4(-4, 2, 50, 60)", "0", "0.5")[1];
  EXPECT_EQ(corner.ends[0], 0);
  EXPECT_GE(corner.ends[1], 2);
  const Primitive right = labelled_box("vec4(290, 100, 350, 160)", "0", "0.5")[1];
  EXPECT_EQ(right.ends[2], 320);
  EXPECT_LT(right.ends[3], 100);
}

// Rasterized once for each size.
TEST_F(LabelChoiceTest, UploadsOnlyForAnotherHeight) {
  const GlApi counted = counting_gl(gl());
  LabelTable table(counted, std::vector<std::string>{"cat", "dog"});
  for (const int32_t height : {20, 40}) {
    gl_calls().clear();
    for (int frame = 0; frame < 100; ++frame) table.set_height(height);
    EXPECT_EQ(gl_calls()["TexSubImage2D"], 1);
    EXPECT_EQ(gl_calls()["BufferData"], 1);
  }
}

// Compiles the include files by themselves with the reference compiler.
TEST(OverlayShaders, GlslangValidatorAcceptsThem) {
  if (run_program("glslangValidator --version 2>&1").status != 0) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string file = scratch_folder() / "labels.comp";
  std::ofstream(file) << shader_around("b_primitives[i] = labelled_box(i, vec4(1), i, 0.5, class_color(i), 320.0);\n");
  const auto [status, output] = run_program("glslangValidator " + file + " 2>&1");
  EXPECT_EQ(status, 0) << output;
}

}  // namespace
}  // namespace sightglass::test
