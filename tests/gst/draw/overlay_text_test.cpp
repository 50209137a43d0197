// Letters, and what compute shaders make of shaders/draw/: primitives, labels, colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "draw/font.h"
#include "draw/label_table.h"
#include "draw/palette.h"
#include "draw/text.h"
#include "gl/shaders.h"
#include "gpu_engine/shader_source.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "overlay_case.h"

namespace sightglass::test {
namespace {

constexpr int kCellWidth = font::kWidth / font::kColumns, kCellHeight = font::kHeight / font::kRows;

uint8_t texel(int glyph, int x, int y) {
  const int column = glyph % font::kColumns, row = glyph / font::kColumns;
  return font::texels()[static_cast<size_t>((row * kCellHeight + y) * font::kWidth + column * kCellWidth + x)];
}

std::string text_of(const std::vector<uint8_t>& glyphs) {
  std::string text;
  for (const uint8_t glyph : glyphs) text += static_cast<char>(glyph + font::kFirst);
  return text;
}

TEST(Font, EveryCharacterIsAnother) {
  ASSERT_EQ(font::texels().size(), static_cast<size_t>(font::kWidth) * font::kHeight);
  std::set<std::vector<uint8_t>> shapes;
  int inked = 0;
  for (int glyph = 0; glyph < font::kCharacters; ++glyph) {
    std::vector<uint8_t> cell;
    for (int i = 0; i < kCellWidth * kCellHeight; ++i) cell.push_back(texel(glyph, i % kCellWidth, i / kCellWidth));
    inked += std::ranges::min(cell) < 150 ? 1 : 0;
    shapes.insert(cell);
    // Nothing of a neighbour is seen at a cell's border.
    for (int x = 0; x < kCellWidth; ++x) EXPECT_GT(std::min(texel(glyph, x, 0), texel(glyph, x, kCellHeight - 1)), 190);
    for (int y = 0; y < kCellHeight; ++y) EXPECT_GT(std::min(texel(glyph, 0, y), texel(glyph, kCellWidth - 1, y)), 190);
  }
  EXPECT_EQ(inked, font::kCharacters - 1) << "all but the space";
  // O and 0 are one shape.
  EXPECT_EQ(shapes.size(), static_cast<size_t>(font::kCharacters) - 1);
}

TEST(Font, TextIsAsciiAndQuestionMarks) {
  EXPECT_EQ(text_of(font::glyphs_of("Az ~!")), "Az ~!");
  EXPECT_EQ(text_of(font::glyphs_of("caf\xC3\xA9 \xE2\x82\xAC\n")), "caf? ??");
  EXPECT_EQ(text_of(font::glyphs_of("\xC3")), "?") << "what ends in the middle of a character";
  EXPECT_TRUE(font::glyphs_of("").empty());
}

TEST(Text, IsOnePrimitiveACharacter) {
  std::vector<Primitive> primitives;
  const float end = append_text(primitives, "a b", 10, 20, {32, {1, 0, 0, 1}, 1});
  EXPECT_EQ(end, 10 + 3 * 16);
  EXPECT_EQ(end - 10, text_width(3, 32));
  ASSERT_EQ(primitives.size(), 2U) << "a space shows nothing";
  EXPECT_EQ(primitives[1].ends, (std::array<float, 4>{42, 20, 58, 52}));
  EXPECT_EQ(primitives[1].glyph, 'b' - 32);
}

class OverlayTextTest : public OverlayCase {
 protected:
  Rgba draw(int32_t width, int32_t height, const PrimitiveRange& range) { return paint(Rgba(width, height), range); }
  Rgba draw(int32_t width, int32_t height, const std::vector<Primitive>& primitives) {
    PrimitiveList list(gl());
    list.set(primitives);
    return draw(width, height, list.range());
  }
};

// At the texture's own size every pixel is a texel, and at all sizes the strokes are as thick as they should be.
TEST_F(OverlayTextTest, LettersAreTheFontsStrokes) {
  constexpr float kRadius = 2;  // pixels
  int largest = 0;
  for (const char c : std::string("AgQ7%")) {
    std::vector<Primitive> primitives;
    append_text(primitives, std::string(1, c), 0, 0, {kCellHeight, {1, 1, 1, 1}, 1});
    primitives[0].radius = kRadius;
    const Rgba drawn = draw(kCellWidth, kCellHeight, primitives);
    for (int y = 0; y < kCellHeight; ++y) {
      for (int x = 0; x < kCellWidth; ++x) {
        const double distance =
            (texel(c - font::kFirst, x, y) / 127.5 - 1) * font::kReach * font::kTexelsPerUnit;  // pixels
        const double expected = 255 * std::clamp(0.5 + kRadius - distance, 0.0, 1.0);
        largest = std::max(largest, static_cast<int>(std::abs(drawn.at(x, y)[0] - expected)));
      }
    }
  }
  EXPECT_LE(largest, 3);
  // The l's upright stroke, its width at three sizes.
  for (const float height : {24.0F, 60.0F, 240.0F}) {
    std::vector<Primitive> primitives;
    append_text(primitives, "|", 0, 0, {height, {1, 1, 1, 1}, 1});
    const auto size = static_cast<int32_t>(height);
    const Rgba drawn = draw(size / 2, size, primitives);
    double width = 0;
    for (int32_t x = 0; x < size / 2; ++x) width += drawn.at(x, size / 2)[0] / 255.0;
    EXPECT_NEAR(width, 2 * font::kStroke * height / font::kCellHeight, 0.15) << height;
  }
}

std::string embedded(std::string_view name) {
  for (const EmbeddedShader& shader : element_shaders()) {
    if (shader.name == name) return std::string(shader.text);
  }
  ADD_FAILURE() << name;
  return "";
}

// A compute shader of one invocation a primitive, its body being `statement`.
std::string shader_around(const std::string& statement) {
  std::string labels = embedded("draw/labels.glsl");
  const std::string include = "#include \"draw/primitive.glsl\"";
  labels.replace(labels.find(include), include.size(), embedded("draw/primitive.glsl"));
  return "#version 310 es\nprecision highp float;\nprecision highp int;\n"
         "layout(local_size_x = 1) in;\n"
         "layout(binding = 0) uniform highp usampler2D u_labels;\n" +
         labels + embedded("draw/palette.glsl") +
         "layout(std430, binding = 1) writeonly buffer Primitives { Primitive b_primitives[]; };\n"
         "void main() {\n  int i = int(gl_WorkGroupID.x);\n" +
         statement + "}\n";
}

class OverlayShaderTest : public OverlayTextTest {
 protected:
  PrimitiveBuffer run(const std::string& statement, GLsizei count, const std::vector<std::string>& labels = {}) {
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
    const auto table = LabelTable::create(gl(), labels);
    EXPECT_TRUE(table.ok()) << table.status().message();
    if (linked == 0 || !table.ok()) return buffer;
    const GlSampler nearest = make_sampler(gl(), GL_NEAREST);
    gl().UseProgram(program.id());
    gl().ActiveTexture(GL_TEXTURE0);
    gl().BindTexture(GL_TEXTURE_2D, table->texture());
    gl().BindSampler(0, nearest.id());
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, buffer.id());
    gl().DispatchCompute(static_cast<GLuint>(count), 1, 1);
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, 0);
    gl().BindTexture(GL_TEXTURE_2D, 0);
    gl().BindSampler(0, 0);
    gl().UseProgram(0);
    return buffer;
  }
  std::vector<Primitive> read(const PrimitiveBuffer& buffer) {
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl().BindBuffer(GL_ARRAY_BUFFER, buffer.id());
    const auto count = static_cast<size_t>(buffer.range().count);
    const auto* data = static_cast<const Primitive*>(
        gl().MapBufferRange(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(count * sizeof(Primitive)), GL_MAP_READ_BIT));
    std::vector<Primitive> primitives(data, data + count);
    gl().UnmapBuffer(GL_ARRAY_BUFFER);
    gl().BindBuffer(GL_ARRAY_BUFFER, 0);
    return primitives;
  }
};

TEST_F(OverlayShaderTest, ShadersLayPrimitivesOutAlike) {
  const PrimitiveBuffer buffer =
      run("if (i == 0) b_primitives[i] = line(vec2(1, 2), vec2(3, 4), 5.0, vec4(0.1, 0.2, 0.3, 0.4));\n"
          "if (i == 1) b_primitives[i] = outline(vec4(1, 2, 3, 4), 5.0, vec4(1));\n"
          "if (i == 2) b_primitives[i] = rectangle(vec4(1, 2, 3, 4), 5.0, vec4(1));\n"
          "if (i == 3) b_primitives[i] = Primitive(vec4(1), vec4(1), 1.0, kGlyph, 33, 0.0);\n"
          "if (i == 4) b_primitives[i] = invisible();\n",
          5);
  const std::vector<Primitive> written = read(buffer);
  EXPECT_EQ(written[0].ends, (std::array<float, 4>{1, 2, 3, 4}));
  EXPECT_EQ(written[0].color, (std::array<float, 4>{0.1F, 0.2F, 0.3F, 0.4F}));
  EXPECT_EQ(written[0].radius, 5);
  constexpr PrimitiveKind kKinds[] = {PrimitiveKind::kLine, PrimitiveKind::kOutline, PrimitiveKind::kRectangle,
                                      PrimitiveKind::kGlyph};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(written[i].kind, kKinds[i]) << i;
  EXPECT_EQ(written[3].glyph, 33);
  EXPECT_EQ(written[4].radius, 0);
}

TEST_F(OverlayShaderTest, ColoursAreThoseOfTheCpu) {
  const std::vector<Primitive> written = read(run("b_primitives[i] = disc(vec2(0), 1.0, class_color(i));\n", 100));
  for (int i = 0; i < 100; ++i) {
    const std::array<float, 4> expected = class_color(i), now = written[static_cast<size_t>(i)].color;
    for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(now[c], expected[c], 1e-3) << i << ", " << c;
  }
}

std::string characters(const std::vector<Primitive>& primitives) {
  std::string text;
  for (const Primitive& primitive : primitives) {
    if (primitive.kind == PrimitiveKind::kGlyph && primitive.radius > 0) {
      text += static_cast<char>(primitive.glyph + font::kFirst);
    }
  }
  return text;
}

TEST_F(OverlayShaderTest, LabelsAreThoseOfTheTable) {
  std::vector<std::string> labels{"person", "a name that is much longer than there is room", ""};
  labels.resize(3000, "x");
  labels[2500] = "further";
  struct Label {
    int number;
    const char *score, *expected;
  };
  for (const Label& label : {Label{0, "0.874", "person87%"},
                             {0, "1.0", "person100%"},
                             {0, "0.02", "person2%"},
                             {1, "0.5", "anamethatismuchlo..50%"},
                             {2, "0.5", "50%"},
                             {2500, "0.5", "further50%"},
                             {3000, "0.5", "50%"},
                             {90000, "0.5", "50%"},
                             {-1, "0.5", "50%"}}) {
    const std::vector<Primitive> written =
        read(run("b_primitives[i] = labelled_box(i, vec4(40, 50, 100, 80), " + std::to_string(label.number) + ", " +
                     label.score + ", 20.0, vec4(0.2, 0.6, 1.0, 1.0));\n",
                 31, labels));
    EXPECT_EQ(characters(written), label.expected) << label.number;
    EXPECT_EQ(written[0].ends, (std::array<float, 4>{40, 50, 100, 80}));
  }
}

// Where a box leaves the picture, its label comes in.
TEST_F(OverlayShaderTest, LabelsStayInThePicture) {
  const auto label_of = [this](const std::string& box) {
    return read(run("b_primitives[i] = labelled_box(i, " + box + ", 0, 0.5, 20.0, vec4(1), 320.0);\n", 31, {"cat"}))[1];
  };
  const Primitive corner = label_of("vec4(-4, 2, 50, 60)");
  EXPECT_EQ(corner.ends[0], 0);
  EXPECT_GE(corner.ends[1], 2);
  const Primitive right = label_of("vec4(290, 100, 350, 160)");
  EXPECT_EQ(right.ends[2], 320);
  EXPECT_LT(right.ends[3], 100);
}

// The include files by themselves, by the reference compiler.
TEST(OverlayShaders, GlslangValidatorAcceptsThem) {
  if (run_program("glslangValidator --version 2>&1").status != 0) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string file = scratch_folder() / "labels.comp";
  std::ofstream(file) << shader_around("b_primitives[i] = labelled_box(i, vec4(1), i, 0.5, 20.0, class_color(i));\n");
  const auto [status, output] = run_program("glslangValidator " + file + " 2>&1");
  EXPECT_EQ(status, 0) << output;
}

}  // namespace
}  // namespace sightglass::test
