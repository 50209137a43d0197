// Text against what Pango draws by itself, from the typesetter to the picture; the HUD and legends over images, and the
// statistics in the HUD.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "draw/hud.h"
#include "draw/text_atlas.h"
#include "element/element_stats.h"
#include "gl/counting_gl.h"
#include "harness/gl_test.h"
#include "log_lines.h"
#include "overlay_case.h"
#include "pango_reference.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWide = 10000;  // pixels, more than any text here has

struct Script {
  const char *name, *text;
};
std::ostream& operator<<(std::ostream& out, const Script& script) { return out << script.name; }

int largest_difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int largest = a.size() == b.size() ? 0 : 255;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class TextInScript : public OverlayCase, public ::testing::WithParamInterface<Script> {
 protected:
  // What is drawn over black at a place of the picture, as coverage.
  std::vector<uint8_t> draw(const TextAtlas& atlas, size_t line, int32_t x, int32_t y) {
    PrimitiveList list(gl());
    const Primitive text = atlas.primitive(line, static_cast<float>(x), static_cast<float>(y), {1, 1, 1, 1});
    list.set({&text, 1});
    PrimitiveRange range = list.range();
    range.text = atlas.texture();
    const int32_t width = atlas.places()[line].width, height = atlas.height();
    const Rgba picture = paint(Rgba(x + width + 9, y + height + 5), range);
    std::vector<uint8_t> inside;
    int64_t outside = 0;
    for (int32_t row = 0; row < picture.height; ++row) {
      for (int32_t column = 0; column < picture.width; ++column) {
        const bool in = column >= x && column < x + width && row >= y && row < y + height;
        if (in) inside.push_back(picture.at(column, row)[0]);
        if (!in) outside += picture.at(column, row)[0];
      }
    }
    EXPECT_EQ(outside, 0);
    return inside;
  }
};

// Texel by texel, among other lines in the atlas.
TEST_P(TextInScript, MatchesPango) {
  for (const int32_t height : {16, 30, 90}) {
    const PangoReference expected = draw_with_pango(GetParam().text, height);
    if (!expected.drawable) GTEST_SKIP() << "no installed font has the script " << GetParam().name;
    const TextPicture set = Typesetter(height).set(GetParam().text, kWide);
    EXPECT_EQ(set.width, expected.width) << height;
    EXPECT_EQ(set.height, height);
    EXPECT_LE(largest_difference(set.coverage, expected.coverage), 1) << height;
    EXPECT_GT(std::ranges::max(set.coverage), 200) << "something is seen";
    const std::vector<std::string> lines{"before", GetParam().text, "behind"};
    const TextAtlas atlas(gl(), lines, height, kWide);
    EXPECT_EQ(atlas.scale(), 1);
    ASSERT_EQ(atlas.places()[1].width, expected.width);
    EXPECT_LE(largest_difference(draw(atlas, 1, 13, 7), expected.coverage), 2) << height;
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, TextInScript,
                         ::testing::Values(Script{"Latin", "person 87%, Ångström"}, Script{"Cyrillic", "человек"},
                                           Script{"Arabic", "شخص واحد"}, Script{"Devanagari", "व्यक्ति"},
                                           Script{"Chinese", "行人"}),
                         [](const auto& script) { return std::string(script.param.name); });

TEST(Typesetter, EllipsizesWhatIsTooWide) {
  const Typesetter typesetter(30);
  const std::string name = "a name that is much longer than there is room";
  const TextPicture whole = typesetter.set(name, kWide), cut = typesetter.set(name, whole.width / 2);
  EXPECT_LE(cut.width, whole.width / 2);
  EXPECT_GT(cut.width, whole.width / 3);
  EXPECT_EQ(typesetter.set(name, whole.width).coverage, whole.coverage);
}

// Files have what they like in them.
TEST(Typesetter, ReplacesInvalidCharacters) {
  const Typesetter typesetter(30);
  EXPECT_EQ(typesetter.set("a\x01z\xff\n", kWide).coverage, typesetter.set("a?z??", kWide).coverage);
  EXPECT_EQ(typesetter.set("a\xe2\x80\xaez", kWide).coverage, typesetter.set("a?z", kWide).coverage);
  EXPECT_EQ(typesetter.set("<b>a</b> &", kWide).coverage, draw_with_pango("<b>a</b> &", 30).coverage) << "no markup";
  EXPECT_EQ(typesetter.set(std::string(1 << 24, 'x'), kWide).coverage,
            typesetter.set(std::string(256, 'x') + "\xe2\x80\xa6", kWide).coverage);
  for (const char* nothing : {"", " ", "   "}) EXPECT_EQ(typesetter.set(nothing, kWide).width, 0);
}

// Marks above marks: the text shrinks, so that nothing of it is cut off.
TEST(Typesetter, KeepsTallTextInItsLine) {
  std::string tall = "a";
  for (int i = 0; i < 8; ++i) tall += "\xcc\x82";
  const TextPicture picture = Typesetter(60).set(tall, kWide);
  ASSERT_GT(picture.width, 0);
  EXPECT_EQ(picture.height, 60);
  EXPECT_EQ(std::ranges::count_if(std::span(picture.coverage).first(static_cast<size_t>(picture.width)),
                                  [](uint8_t coverage) { return coverage > 128; }),
            0);
}

TEST(Typesetter, WorksAtEverySize) {
  for (const int32_t height : {1, 2, 3, 5, 8, 400}) EXPECT_EQ(Typesetter(height).set("Ag", kWide).height, height);
}

using TextAtlasTest = GlTest;

int32_t texture_limit = 0;
void limited(GLenum name, GLint* value) {
  if (name == GL_MAX_TEXTURE_SIZE) *value = texture_limit;
}

// Lines that do not fit are rasterized smaller and drawn as large.
TEST_F(TextAtlasTest, ShrinksToTheTextureOfTheDevice) {
  GlApi small = gl();
  small.GetIntegerv = limited;
  texture_limit = 512;
  const std::vector<std::string> lines(100, "a label");
  const TextAtlas whole(gl(), lines, 60, kWide), shrunk(small, lines, 60, kWide);
  EXPECT_EQ(whole.scale(), 1);
  EXPECT_LT(shrunk.scale(), 0.9F);
  EXPECT_GE(shrunk.scale(), 12.0F / 60);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NEAR(shrunk.places()[i].width, whole.places()[i].width, whole.places()[i].width / 8) << i;
    EXPECT_LT(shrunk.places()[i].texel >> 16, 512);
  }
}

TEST_F(TextAtlasTest, NamesLabelsThatDoNotFit) {
  GlApi small = gl();
  small.GetIntegerv = limited;
  texture_limit = 128;
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i) lines.push_back("label " + std::to_string(i));
  const LogLines log;
  const TextAtlas atlas(small, lines, 30, kWide);
  const auto placed = static_cast<size_t>(
      std::ranges::find_if(atlas.places(), [](const TextPlace& place) { return place.width == 0; }) -
      atlas.places().begin());
  EXPECT_GT(placed, 10U);
  ASSERT_LT(placed, lines.size());
  ASSERT_EQ(atlas.places().size(), lines.size());
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_EQ(log.lines()[0], "cannot draw " + std::to_string(lines.size() - placed) + " of 500 labels, from '" +
                                lines[placed] + "' on: they exceed a texture of this device; use fewer labels");
}

// Among all elements of a process, and while one with another model takes over.
TEST_F(TextAtlasTest, RasterizesTheSameLinesOnce) {
  const std::vector<std::string> lines{"cat", "dog"}, others{"cat", "cow"};
  std::optional<TextAtlas> first(std::in_place, gl(), lines, 30, kWide);
  const TextAtlas second(gl(), lines, 30, kWide);
  EXPECT_EQ(second.page(), first->page());
  EXPECT_NE(second.texture(), first->texture()) << "each belongs to its own context";
  EXPECT_NE(TextAtlas(gl(), others, 30, kWide).page(), second.page());
  EXPECT_NE(TextAtlas(gl(), lines, 31, kWide).page(), second.page());
  first.reset();
  EXPECT_EQ(TextAtlas(gl(), lines, 30, kWide).page(), second.page());
}

// As many as ImageNet has, in a picture of 3840 x 2160.
TEST_F(TextAtlasTest, HoldsAThousandLabelsAtTheirSize) {
  std::vector<std::string> lines;
  for (int i = 0; i < 1001; ++i) lines.push_back("usual label " + std::to_string(i));
  const LogLines log;
  const TextAtlas atlas(gl(), lines, 90, 12 * 90);
  EXPECT_EQ(atlas.scale(), 1);
  EXPECT_TRUE(log.lines().empty());
}

TEST(Percentiles, AreNearestRanks) {
  Percentiles percentiles;
  EXPECT_EQ(percentiles.at(50), 0U);
  percentiles.add(7);
  EXPECT_EQ(percentiles.at(50), 7U);
  EXPECT_EQ(percentiles.at(95), 7U);
  percentiles.forget();
  for (uint64_t i = 100; i > 0; --i) percentiles.add(i);
  EXPECT_EQ(percentiles.count(), 100U);
  EXPECT_EQ(percentiles.at(50), 50U);
  EXPECT_EQ(percentiles.at(95), 95U);
  EXPECT_EQ(percentiles.at(100), 100U);
  EXPECT_EQ(percentiles.at(0.1), 1U);
}

TEST(Percentiles, UseTheLatestValues) {
  Percentiles percentiles;
  for (size_t i = 0; i < 1000; ++i) percentiles.add(5);
  for (size_t i = 0; i < Percentiles::kSamples; ++i) percentiles.add(9);
  EXPECT_EQ(percentiles.at(1), 9U);
  EXPECT_EQ(percentiles.count(), Percentiles::kSamples);
}

TEST(RateMeter, CountsTheLastTwoSeconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  RateMeter rate;
  EXPECT_EQ(rate.per_second(0), 0);
  uint64_t now = 50 * kSecond;
  rate.add(now);
  EXPECT_EQ(rate.per_second(now), 0);
  for (int i = 0; i < 300; ++i) rate.add(now += kSecond / 60);
  EXPECT_NEAR(rate.per_second(now), 60, 0.01);
  for (int i = 0; i < 40; ++i) rate.add(now += kSecond / 10);
  EXPECT_NEAR(rate.per_second(now), 10, 0.01);
  EXPECT_EQ(rate.per_second(now + 3 * kSecond), 0) << "nothing has happened for a while";
}

void expect_inside(std::span<const Primitive> primitives, int32_t width, int32_t height) {
  for (const Primitive& primitive : primitives) {
    EXPECT_GE(std::min(primitive.ends[0], primitive.ends[1]), 0);
    EXPECT_LE(primitive.ends[2], static_cast<float>(width));
    EXPECT_LE(primitive.ends[3], static_cast<float>(height));
  }
}

constexpr const char* kTitle = "glpose movenet";
constexpr HudFigures kFigures{29.97, 14.98, 4.25, 6.1, 123.4, 12};

using HudTest = GlTest;

// The texts of the HUD, one per line, identified by their positions in the atlas.
std::string texts_of(std::span<const Primitive> primitives, const TextAtlas& atlas) {
  const std::vector<std::string> texts = hud_texts(kTitle);
  std::string text;
  float y = -1, x = 0;
  for (const Primitive& primitive : primitives) {
    if (primitive.kind != PrimitiveKind::kText) continue;
    if (primitive.ends[1] != y) {
      text += text.empty() ? "" : "\n";
    } else if (primitive.ends[0] != x) {
      text += "|";
    }
    y = primitive.ends[1];
    x = primitive.ends[2];
    const auto place = std::ranges::find(atlas.places(), primitive.text, &TextPlace::texel);
    text += texts[static_cast<size_t>(place - atlas.places().begin())];
  }
  return text;
}

TEST_F(HudTest, ShowsItsStatistics) {
  const TextAtlas atlas = hud_atlas(gl(), kTitle, 1280, 720);
  EXPECT_EQ(texts_of(hud_primitives(atlas, kFigures, HudPosition::kTopLeft, 1280, 720), atlas),
            "glpose movenet\nframes/s|30.0\ninferences/s|15.0\nGPU|4.2 ms (p95 6.1)\nlatency|123 ms\ndropped|12");
  HudFigures unknown = kFigures;
  unknown.gpu_ms_p50 = 0;
  EXPECT_NE(texts_of(hud_primitives(atlas, unknown, HudPosition::kTopLeft, 1280, 720), atlas).find("GPU|unknown"),
            std::string::npos);
}

// With any title, such as the file name of a model.
TEST_F(HudTest, FitsFramesOfAnySize) {
  for (const std::string& title : {std::string(kTitle), std::string(300, 'W')}) {
    for (const auto& [width, height] :
         {std::pair{3840, 2160}, {1920, 1080}, {1080, 1920}, {640, 480}, {320, 240}, {160, 120}}) {
      const TextAtlas atlas = hud_atlas(gl(), title, width, height);
      for (const HudPosition position :
           {HudPosition::kTopLeft, HudPosition::kTopRight, HudPosition::kBottomLeft, HudPosition::kBottomRight}) {
        expect_inside(hud_primitives(atlas, kFigures, position, width, height), width, height);
      }
    }
  }
}

// As readable in 3840 x 2160 as in 1280 x 720.
TEST_F(HudTest, ScalesWithTheFrame) {
  const int32_t small = hud_atlas(gl(), kTitle, 1280, 720).height(),
                large = hud_atlas(gl(), kTitle, 3840, 2160).height();
  EXPECT_NEAR(large, 3 * small, 3);
  EXPECT_GE(small, 24);
}

// A few kilobytes, four times per second, and no pixels unless the size changes.
TEST_F(HudTest, UpdatesFourTimesPerSecond) {
  const GlApi counted = counting_gl(gl());
  Hud hud(counted, kTitle);
  gl_calls().clear();
  HudFigures figures = kFigures;
  constexpr uint64_t kFrame = 16'666'667;
  for (uint64_t i = 0; i < 120; ++i) {
    figures.frames_per_second = static_cast<double>(i);
    const PrimitiveRange range = hud.update(figures, HudPosition::kTopLeft, 1 + i * kFrame, 640, 480).value();
    EXPECT_GT(range.count, 20);
    EXPECT_LT(range.count * static_cast<int>(sizeof(Primitive)), 3000);
  }
  EXPECT_EQ(gl_calls()["BufferData"], 8) << "two seconds";
  EXPECT_EQ(gl_calls()["BufferSubData"], 0);
  EXPECT_EQ(gl_calls()["TexSubImage2D"], 1);
  EXPECT_TRUE(hud.update(figures, HudPosition::kTopLeft, 1 + 119 * kFrame, 320, 240).ok());
  EXPECT_EQ(gl_calls()["BufferData"], 9) << "another size";
  EXPECT_TRUE(hud.update(figures, HudPosition::kTopRight, 1 + 119 * kFrame, 320, 240).ok());
  EXPECT_EQ(gl_calls()["BufferData"], 10) << "another corner";
  EXPECT_EQ(gl_calls()["TexSubImage2D"], 2) << "another size";
}

}  // namespace
}  // namespace sightglass::test
