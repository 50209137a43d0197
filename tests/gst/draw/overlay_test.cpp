// Compares overlays with a scalar rasterizer that shares no code with the shaders. Tests shaders/draw/ in compute
// shaders: primitives, labels, colors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>

#include "class_color.h"
#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gl/counting_gl.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "harness/gl_state.h"
#include "harness/program.h"
#include "harness/read_buffer.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "overlay_case.h"
#include "sightglass/shader_source.h"

namespace sightglass::test {
namespace {

constexpr std::array<float, 4> kRed{1, 0, 0, 1}, kHalfBlue{0, 0.2F, 1, 0.5F}, kWhite{1, 1, 1, 1};

Rgba backdrop(int32_t width, int32_t height) {
  return painted(width, height, [](int32_t x, int32_t y) { return std::array{40 + x % 64, 90 + y % 64, 60}; });
}

// Whether a point, in pixels, is inside the shape.
bool inside(const Primitive& shape, double x, double y) {
  const auto& e = shape.ends;
  const double r = shape.radius;
  const auto near_segment = [&](double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay, squared = dx * dx + dy * dy;
    const double t = squared > 0 ? std::clamp(((x - ax) * dx + (y - ay) * dy) / squared, 0.0, 1.0) : 0.0;
    return std::hypot(x - ax - t * dx, y - ay - t * dy) <= r;
  };
  const double left = std::min(e[0], e[2]), right = std::max(e[0], e[2]);
  const double top = std::min(e[1], e[3]), bottom = std::max(e[1], e[3]);
  switch (shape.kind) {
    case PrimitiveKind::kLine:
      return near_segment(e[0], e[1], e[2], e[3]);
    case PrimitiveKind::kOutline:
      return near_segment(left, top, right, top) || near_segment(left, bottom, right, bottom) ||
             near_segment(left, top, left, bottom) || near_segment(right, top, right, bottom);
    default: {
      // Filled, with rounded corners: all points that a disc inside the box reaches.
      const double c = std::min({r, (right - left) / 2, (bottom - top) / 2});
      if (x < left || x > right || y < top || y > bottom) return false;
      return std::hypot(x - std::clamp(x, left + c, right - c), y - std::clamp(y, top + c, bottom - c)) <= c;
    }
  }
}

// Coverage by many samples in each pixel, then the blend.
Rgba rasterize(Rgba picture, std::span<const Primitive> shapes) {
  constexpr int kSamples = 8;  // along each axis
  for (const Primitive& shape : shapes) {
    if (!(shape.radius > 0)) continue;
    for (int32_t y = 0; y < picture.height; ++y) {
      for (int32_t x = 0; x < picture.width; ++x) {
        int covered = 0;
        for (int i = 0; i < kSamples * kSamples; ++i) {
          covered += inside(shape, x + (i % kSamples + 0.5) / kSamples, y + (i / kSamples + 0.5) / kSamples) ? 1 : 0;
        }
        const double alpha = shape.color[3] * covered / (kSamples * kSamples);
        uint8_t* p = picture.at(x, y);
        for (size_t c = 0; c < 3; ++c) {
          p[c] = static_cast<uint8_t>(std::lround(p[c] + (255 * shape.color[c] - p[c]) * alpha));
        }
      }
    }
  }
  return picture;
}

struct Difference {
  int largest = 0;
  double mean = 0;
};
Difference pixel_difference(const Rgba& a, const Rgba& b) {
  Difference d;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const int off = std::abs(static_cast<int>(a.pixels[i]) - static_cast<int>(b.pixels[i]));
    d.largest = std::max(d.largest, off);
    d.mean += static_cast<double>(off) / static_cast<double>(a.pixels.size());
  }
  return d;
}

class OverlayTest : public OverlayCase {
 protected:
  Rgba draw(const Rgba& picture, std::span<const Primitive> shapes) {
    PrimitiveList list(gl());
    list.set(shapes);
    return paint(picture, list.range());
  }
};

struct Case {
  const char* name;
  std::vector<Primitive> shapes;
};
std::ostream& operator<<(std::ostream& out, const Case& shape) { return out << shape.name; }

class OverlayShapeTest : public OverlayTest, public ::testing::WithParamInterface<Case> {};

TEST_P(OverlayShapeTest, MatchesSampling) {
  const Rgba picture = backdrop(97, 61);
  const Rgba expected = rasterize(picture, GetParam().shapes), drawn = draw(picture, GetParam().shapes);
  const Difference d = pixel_difference(expected, drawn);
  std::printf("%s: at most %d of 255 off, %.3f in the mean\n", GetParam().name, d.largest, d.mean);
  // The shaders approximate coverage by distance. At corners and slanted edges, the two differ by up to a tenth of a
  // pixel.
  EXPECT_LE(d.largest, 25);
  EXPECT_LE(d.mean, 0.2);
  EXPECT_GT(pixel_difference(picture, drawn).largest, 50) << "something is visible";
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, OverlayShapeTest,
    ::testing::Values(
        Case{"Line", {{{10.3F, 8.7F, 80.2F, 50.1F}, kRed, 4}}}, Case{"LevelLine", {{{10.5F, 30, 80.5F, 30}, kRed, 3}}},
        Case{"Thin", {{{10, 50, 85, 12}, kWhite, 0.5F}}}, Case{"Disc", {{{48.5F, 30.5F, 48.5F, 30.5F}, kRed, 12.25F}}},
        Case{"SmallDisc", {{{48.2F, 30.9F, 48.2F, 30.9F}, kWhite, 1.5F}}},
        Case{"HalfCovering", {{{10, 10, 80, 50}, kHalfBlue, 8}, {{10, 50, 80, 10}, kHalfBlue, 8}}},
        Case{"Outline", {{{20.5F, 10.5F, 70.5F, 50.5F}, kRed, 1.5F, PrimitiveKind::kOutline}}},
        Case{"BackwardsOutline", {{{70, 50, 20, 10}, kRed, 2, PrimitiveKind::kOutline}}},
        Case{"Rectangle", {{{20, 10, 70, 50}, kHalfBlue, 0.01F, PrimitiveKind::kRectangle}}},
        Case{"RoundedRectangle", {{{20.4F, 10.4F, 70, 50}, kRed, 9, PrimitiveKind::kRectangle}}},
        Case{"BeyondTheBorder",
             {{{-30, -20, 120, 70}, kRed, 5}, {{-5, 5, 200, 40}, kHalfBlue, 3, PrimitiveKind::kOutline}}}),
    [](const auto& shape) { return std::string(shape.param.name); });

// Invisible by radius, and by invalid positions.
TEST_F(OverlayTest, InvisibleShapesDrawNothing) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinite = std::numeric_limits<float>::infinity();
  const Rgba picture = backdrop(64, 48);
  std::vector<Primitive> shapes;
  for (const PrimitiveKind kind :
       {PrimitiveKind::kLine, PrimitiveKind::kOutline, PrimitiveKind::kRectangle, PrimitiveKind::kText}) {
    for (const float radius : {0.0F, -3.0F, kNan, kInfinite})
      shapes.push_back({{5, 5, 40, 40}, kRed, radius, kind, 33});
    for (const float place : {kNan, kInfinite, -kInfinite}) shapes.push_back({{5, place, 40, 40}, kRed, 3, kind, 33});
  }
  EXPECT_EQ(draw(picture, shapes).pixels, picture.pixels);
  EXPECT_EQ(draw(picture, {}).pixels, picture.pixels);
}

TEST_F(OverlayTest, LaterShapesAreOnTop) {
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{10, 10, 30, 30}, kWhite, 1, PrimitiveKind::kRectangle}};
  const Rgba drawn = draw(backdrop(64, 48), shapes);
  EXPECT_EQ(drawn.at(20, 20)[1], 255);
  EXPECT_EQ(drawn.at(37, 37)[1], 0);
}

// Overlays are opaque where the image is transparent.
TEST_F(OverlayTest, AddsToTheAlphaChannel) {
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kWhite, 1, PrimitiveKind::kRectangle},
                                      {{45, 5, 60, 40}, kHalfBlue, 1, PrimitiveKind::kRectangle}};
  const Rgba drawn = draw(Rgba(64, 48), shapes);
  EXPECT_EQ(drawn.at(20, 20)[3], 255);
  EXPECT_NEAR(drawn.at(50, 20)[3], 128, 1);
  EXPECT_EQ(drawn.at(62, 46)[3], 0);
}

TEST_F(OverlayTest, LeavesGlStateAsFound) {
  const GlTexture texture = upload(gl(), backdrop(64, 48));
  PrimitiveList list(gl());
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 3}};
  GlState before = snapshot_gl_state(gl());
  list.set(shapes);
  const PrimitiveRange ranges[] = {list.range()};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  // Also state that another user of the context has set.
  gl().Enable(GL_SCISSOR_TEST);
  gl().Enable(GL_CULL_FACE);
  gl().ColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
  gl().Viewport(3, 4, 5, 6);
  before = snapshot_gl_state(gl());
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  gl().Disable(GL_SCISSOR_TEST);
  gl().Disable(GL_CULL_FACE);
  gl().ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  EXPECT_EQ(download(gl(), texture.id(), 64, 48).pixels, draw(draw(backdrop(64, 48), shapes), shapes).pixels);
}

// A frame uploads nothing. A list uploads only new entries.
TEST_F(OverlayTest, FramesUploadNothing) {
  const GlApi counted = counting_gl(gl());
  auto painter = value_of(OverlayPainter::create(ShareGroup::create(counted, nullptr, element_shaders())));
  const GlTexture texture = upload(gl(), backdrop(64, 48));
  PrimitiveList list(counted);
  std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 3}};
  const auto frame = [&] {
    gl_calls().clear();
    list.set(shapes);
    const PrimitiveRange ranges[] = {list.range()};
    EXPECT_TRUE(painter->draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
    int transfers = 0;
    for (const char* name :
         {"BufferData", "BufferSubData", "TexSubImage2D", "MapBufferRange", "ReadPixels", "Finish", "ClientWaitSync"}) {
      transfers += gl_calls()[name];
    }
    return transfers;
  };
  EXPECT_GT(frame(), 0);
  EXPECT_EQ(frame(), 0);
  shapes[0].radius = 4;
  EXPECT_EQ(frame(), 1);
  EXPECT_EQ(frame(), 0);
  EXPECT_EQ(gl_calls()["DrawArraysInstanced"], 1);
}

// Primitives from shaders are drawn from the offset on, as many as requested.
TEST_F(OverlayTest, DrawsARangeOfABuffer) {
  const Rgba picture = backdrop(64, 48);
  const std::vector<Primitive> shapes{{{5, 5, 15, 15}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{25, 5, 35, 15}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{45, 5, 55, 15}, kRed, 1, PrimitiveKind::kRectangle}};
  const GlTexture texture = upload(gl(), picture);
  PrimitiveList list(gl());
  list.set(shapes);
  const PrimitiveRange ranges[] = {{list.range().buffer, sizeof(Primitive), 1}};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  const Rgba drawn = download(gl(), texture.id(), 64, 48);
  EXPECT_EQ(drawn.at(30, 10)[0], 255);
  EXPECT_EQ(drawn.at(10, 10)[0], picture.at(10, 10)[0]);
  EXPECT_EQ(drawn.at(50, 10)[0], picture.at(50, 10)[0]);
}

TEST_F(OverlayTest, BuffersForShadersStartInvisible) {
  const Rgba picture = backdrop(64, 48);
  const GlTexture texture = upload(gl(), picture);
  const PrimitiveBuffer buffer(gl(), 100);
  const PrimitiveRange ranges[] = {buffer.range()};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(download(gl(), texture.id(), 64, 48).pixels, picture.pixels);
}

TEST_F(OverlayTest, InvalidTargetsAreErrors) {
  const GlTexture texture = make_texture(gl(), GL_RGB9_E5, 8, 8);
  expect_failure(painter().draw({texture.id(), GL_TEXTURE_2D, 8, 8}, {}), {"cannot draw into its format"});
}

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

  std::vector<Primitive> read(const PrimitiveBuffer& buffer) { return read_buffer<Primitive>(gl(), buffer.storage()); }
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
    places_ = read_buffer<TextPlace>(gl(), places);
  }
  void TearDown() override {
    table_.reset();
    OverlayShaderTest::TearDown();
  }
  const TextPlace& line(int index) const { return places_[static_cast<size_t>(index)]; }
  const TextPlace& percent(int number) const { return places_[static_cast<size_t>(number)]; }
  const TextPlace& name(int number) const { return places_[static_cast<size_t>(kFirstClass + number)]; }
  std::vector<Primitive> labelled_box(const std::string& box, const std::string& number, const std::string& score,
                                      const std::string& track = "0", GLsizei count = 4) {
    return read(run("vec2 size = label_size(" + track + ", " + number + ", " + score +
                        ");\n"
                        "vec3 place = label_place(0, " +
                        box +
                        ", size, vec2(320.0, 240.0));\n"
                        "if (place.z == 0.0) place = label_place(1, " +
                        box +
                        ", size, vec2(320.0, 240.0));\n"
                        "b_primitives[i] = labelled_box(i, " +
                        box + ", place, " + track + ", " + number + ", " + score + ", vec4(0.2, 0.6, 1.0, 1.0));\n",
                    count, *table_));
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

// "#407 cat 50%": the number of the track, then the class and the score.
TEST_F(LabelChoiceTest, ShowsTheNumberOfATrack) {
  choose_labels({"cat"});
  struct Number {
    const char* track;
    std::vector<int> digits;
  };
  for (const Number& number : {Number{"1", {1}},
                               {"407", {4, 0, 7}},
                               {"99999", {9, 9, 9, 9, 9}},
                               {"1200034", {0, 0, 0, 3, 4}},
                               {"2147483647", {8, 3, 6, 4, 7}}}) {
    const auto written = labelled_box("vec4(40, 50, 100, 80)", "0", "0.5", number.track, kLabelledBox + kNumberTexts);
    expect_text(written[kLabelledBox], line(kNumberSign));
    float right = written[kLabelledBox].ends[2];
    for (size_t i = 0; i < kMostDigits; ++i) {
      const Primitive& text = written[kLabelledBox + 1 + i];
      if (i < number.digits.size()) {
        expect_text(text, line(kFirstDigit + number.digits[i]));
        EXPECT_EQ(text.ends[0], right) << number.track << ": digit " << i;
        right = text.ends[2];
      } else {
        EXPECT_EQ(text.ends[0], text.ends[2]) << number.track << ": digit " << i;
      }
    }
    EXPECT_GT(written[2].ends[0], right) << number.track << ": the name follows";
    EXPECT_GT(written[1].ends[2], written[3].ends[2]) << "all on one plate";
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
  std::ofstream(file) << shader_around(
      "b_primitives[i] = labelled_box(i, vec4(1), vec3(1), i, i, 0.5, class_color(i));\n");
  const auto [status, output] = run_program("glslangValidator " + file + " 2>&1");
  EXPECT_EQ(status, 0) << output;
}

}  // namespace
}  // namespace sightglass::test
