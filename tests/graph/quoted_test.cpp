// How untrusted text is changed before it is shown.
#include "gpu_engine/quoted.h"

#include <gtest/gtest.h>

namespace sightglass::test {
namespace {

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
