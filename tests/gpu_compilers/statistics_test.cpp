// Messages as Mesa 25.0 drivers print them.
#include "statistics.h"

#include <gtest/gtest.h>

namespace sightglass::test {
namespace {

TEST(CompilerStatistics, OfMali) {
  const auto s = parse_statistics(
      "MESA_SHADER_COMPUTE shader: 310 inst, 171 tuples, 41 clauses, 24.000000 cycles, 6.250000 arith, 0.000000 "
      "texture, 0.000000 vary, 24.000000 ldst, 138 quadwords, 1 threads, 2 loops, 4:27 spills:fills");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->instructions, 310);
  EXPECT_EQ(s->cycles, 24.0);
  EXPECT_EQ(s->parallel, 1);
  EXPECT_EQ(s->spills, 4);
  EXPECT_EQ(s->fills, 27);
  EXPECT_TRUE(s->in_memory());
}

TEST(CompilerStatistics, OfVideoCore) {
  const auto s = parse_statistics(
      "MESA_SHADER_COMPUTE shader: 442 inst, 2 threads, 1 loops, 30 uniforms, 40 max-temps, 0:0 spills:fills, 0 "
      "sfu-stalls, 442 inst-and-stalls, 12 nops");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->instructions, 442);
  EXPECT_EQ(s->parallel, 2);
  EXPECT_EQ(s->registers, 40);
  EXPECT_FALSE(s->cycles);
  EXPECT_FALSE(s->in_memory());
}

TEST(CompilerStatistics, OfFreedreno) {
  const auto s = parse_statistics(
      "CL shader: 1556 inst, 60 nops, 1496 non-nops, 130 mov, 0 cov, 3200 dwords, 0 last-baryf, 0 last-helper, 3 half, "
      "45 full, 20 constlen, 30 cat0, 100 cat1, 500 cat2, 900 cat3, 0 cat4, 0 cat5, 70 cat6, 0 cat7, 46 stp, 47 ldp, "
      "10 "
      "sstall, 5 (ss), 20 systall, 8 (sy), 4 waves, 1 loops, 0 preamble inst, 0 early-preamble");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->instructions, 1556);
  EXPECT_EQ(s->parallel, 4);
  EXPECT_EQ(s->registers, 180);
  EXPECT_EQ(s->spills, 46);
  EXPECT_EQ(s->fills, 47);
}

TEST(CompilerStatistics, OfIntel) {
  const auto s = parse_statistics(
      "CS SIMD8 shader: 1838 inst, 3 loops, 58912 cycles, 12:93 spills:fills, 70 sends, scheduled with mode none, "
      "Promoted 4 constants, compacted 29408 to 20000 bytes.");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->instructions, 1838);
  EXPECT_EQ(s->parallel, 8);
  EXPECT_EQ(s->fills, 93);
  EXPECT_FALSE(s->cycles);
}

TEST(CompilerStatistics, OfAmd) {
  const auto s = parse_statistics(
      "Shader Stats: SGPRS: 48 VGPRS: 128 Code Size: 5120 LDS: 0 Scratch: 256 Max Waves: 2 Spilled SGPRs: 3 Spilled "
      "VGPRs: 7 PrivMem VGPRs: 0 LSOutputs: 0 (CS, W64)");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->instructions, 5120);
  EXPECT_EQ(s->registers, 128);
  EXPECT_EQ(s->scratch, 256);
  EXPECT_EQ(s->spills, 7);
  EXPECT_EQ(s->parallel, 2);
}

TEST(CompilerStatistics, IgnoresOtherMessages) {
  EXPECT_FALSE(parse_statistics(""));
  EXPECT_FALSE(parse_statistics("Recompiling fragment shader for program 12"));
}

}  // namespace
}  // namespace sightglass::test
