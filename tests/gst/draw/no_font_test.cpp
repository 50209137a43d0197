// On a machine without fonts, everything except text is drawn, with one warning.
#include <gtest/gtest.h>

#include <cstdlib>

#include "draw/hud.h"
#include "draw/label_table.h"
#include "draw/text_atlas.h"
#include "harness/gl_test.h"
#include "log_lines.h"

namespace sightglass::test {
namespace {

class NoFont : public GlTest {
 protected:
  // Before any font is requested: fontconfig reads its configuration only once.
  static void SetUpTestSuite() { setenv("FONTCONFIG_FILE", SIGHTGLASS_SOURCE_DIR "/tests/gst/draw/no_fonts.conf", 1); }
};

TEST_F(NoFont, DrawsNoTextAndWarnsOnce) {
  const LogLines log;
  EXPECT_EQ(Typesetter(30).set("person", 1000).width, 0);
  const std::vector<std::string> labels{"person", "dog"};
  LabelTable table(gl(), labels);
  table.set_height(30);
  EXPECT_EQ(table.texture(), 0U);
  const TextAtlas atlas = hud_atlas(gl(), "glpose figure", 1280, 720);
  EXPECT_TRUE(hud_primitives(atlas, {}, HudPosition::kTopLeft, 1280, 720).empty());
  EXPECT_EQ(missing_font_warning("hud=true"),
            "hud=true: cannot draw text: no font is installed; install one, such as the Debian package "
            "fonts-dejavu-core");
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_EQ(log.lines()[0],
            "cannot draw text: no font is installed; install one, such as the Debian package fonts-dejavu-core");
}

}  // namespace
}  // namespace sightglass::test
