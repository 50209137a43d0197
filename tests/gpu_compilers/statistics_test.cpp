// Messages as Mesa 25.0 drivers print them.
#include "statistics.h"

#include <gtest/gtest.h>

namespace sightglass::test {
namespace {

struct Message {
  const char* driver;
  const char* text;
  Statistics expected;
};

const Message kMessages[] = {
    {"panfrost",
     "MESA_SHADER_COMPUTE shader: 310 inst, 171 tuples, 41 clauses, 24.000000 cycles, 6.250000 arith, 0.000000 "
     "texture, 0.000000 vary, 24.000000 ldst, 138 quadwords, 1 threads, 2 loops, 4:27 spills:fills",
     {.instructions = 310, .registers = {}, .spills = 4, .fills = 27, .scratch = 0, .parallel = 1, .cycles = 24.0}},
    {"v3d",
     "MESA_SHADER_COMPUTE shader: 442 inst, 2 threads, 1 loops, 30 uniforms, 40 max-temps, 0:0 spills:fills, 0 "
     "sfu-stalls, 442 inst-and-stalls, 12 nops",
     {.instructions = 442, .registers = 40, .spills = 0, .fills = 0, .scratch = 0, .parallel = 2, .cycles = {}}},
    {"freedreno",
     "CL shader: 1556 inst, 60 nops, 1496 non-nops, 130 mov, 0 cov, 3200 dwords, 0 last-baryf, 0 last-helper, 3 half, "
     "45 full, 20 constlen, 30 cat0, 100 cat1, 500 cat2, 900 cat3, 0 cat4, 0 cat5, 70 cat6, 0 cat7, 46 stp, 47 ldp, 10 "
     "sstall, 5 (ss), 20 systall, 8 (sy), 4 waves, 1 loops, 0 preamble inst, 0 early-preamble",
     {.instructions = 1556, .registers = 180, .spills = 46, .fills = 47, .scratch = 0, .parallel = 4, .cycles = {}}},
    // Its cycles are an estimate for the whole shader.
    {"iris",
     "CS SIMD8 shader: 1838 inst, 3 loops, 58912 cycles, 12:93 spills:fills, 70 sends, scheduled with mode none, "
     "Promoted 4 constants, compacted 29408 to 20000 bytes.",
     {.instructions = 1838, .registers = {}, .spills = 12, .fills = 93, .scratch = 0, .parallel = 8, .cycles = {}}},
    {"radeonsi",
     "Shader Stats: SGPRS: 48 VGPRS: 128 Code Size: 5120 LDS: 0 Scratch: 256 Max Waves: 2 Spilled SGPRs: 3 Spilled "
     "VGPRs: 7 PrivMem VGPRs: 0 LSOutputs: 0 (CS, W64)",
     {.instructions = 5120, .registers = 128, .spills = 7, .fills = 0, .scratch = 256, .parallel = 2, .cycles = {}}},
};

TEST(CompilerStatistics, OfEveryDriver) {
  for (const Message& message : kMessages) {
    const auto found = parse_statistics(message.text);
    ASSERT_TRUE(found) << message.driver;
    EXPECT_EQ(*found, message.expected) << message.driver << ": " << found->instructions << " instructions, "
                                        << found->parallel << " in parallel, " << found->spills << ":" << found->fills;
  }
}

TEST(CompilerStatistics, IgnoresOtherMessages) {
  EXPECT_FALSE(parse_statistics(""));
  EXPECT_FALSE(parse_statistics("Recompiling fragment shader for program 12"));
}

}  // namespace
}  // namespace sightglass::test
