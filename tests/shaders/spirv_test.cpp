// SPIR-V of every shader variant, as drivers on top of Vulkan need it: compiled by glslang under the relaxed rules of
// Vulkan, and accepted by the validator of SPIRV-Tools.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

#include "every_variant.h"
#include "sightglass/frame_kind.h"

namespace sightglass::test {
namespace {

EShLanguage stage_of(const std::string& file) {
  if (file.ends_with(".comp")) return EShLangCompute;
  return file.ends_with(".vert") ? EShLangVertex : EShLangFragment;
}

struct Compiled {
  std::vector<uint32_t> words;  // empty if compilation failed
  std::string log;
};

Compiled compile(const std::string& source, EShLanguage stage) {
  constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  constexpr int kVersion = 310;
  const char* text = source.c_str();
  glslang::TShader shader(stage);
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, stage, glslang::EShClientVulkan, 100);
  shader.setEnvInputVulkanRulesRelaxed();
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  shader.setAutoMapBindings(true);
  shader.setAutoMapLocations(true);
  if (!shader.parse(GetDefaultResources(), kVersion, false, kMessages)) return {{}, shader.getInfoLog()};
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kMessages) || !program.mapIO()) return {{}, program.getInfoLog()};
  Compiled compiled;
  glslang::GlslangToSpv(*program.getIntermediate(stage), compiled.words);
  return compiled;
}

class SpirvTest : public ::testing::Test {
 protected:
  SpirvTest() : tools_(SPV_ENV_VULKAN_1_1) {
    glslang::InitializeProcess();
    tools_.SetMessageConsumer([this](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
      log_ += std::string(message) + "\n";
    });
  }
  ~SpirvTest() override { glslang::FinalizeProcess(); }

  spvtools::SpirvTools tools_;
  std::string log_;
};

TEST_F(SpirvTest, EveryVariantIsValid) {
  size_t valid = 0, external = 0;
  for (const ShaderKey& key : every_variant()) {
    // Vulkan has no external textures.
    if (key.name().find(frame_define(FrameKind::kExternal)) != std::string::npos) {
      ++external;
      continue;
    }
    const Result<std::string> source = assemble_shader(key, every_source());
    ASSERT_TRUE(source.ok()) << source.status().message();
    const Compiled compiled = compile(*source, stage_of(key.shader));
    ASSERT_FALSE(compiled.words.empty()) << key.name() << "\n" << compiled.log;
    log_.clear();
    EXPECT_TRUE(tools_.Validate(compiled.words)) << key.name() << "\n" << log_;
    ++valid;
  }
  std::printf("%zu variants, and %zu with external textures, which Vulkan has not\n", valid, external);
  EXPECT_GT(valid, 1000u);
}

TEST_F(SpirvTest, InvalidCodeIsDetected) {
  Compiled compiled = compile("#version 310 es\nlayout(local_size_x = 1) in;\nvoid main() {}\n", EShLangCompute);
  ASSERT_FALSE(compiled.words.empty()) << compiled.log;
  EXPECT_TRUE(tools_.Validate(compiled.words)) << log_;
  compiled.words.pop_back();  // the function has no end
  EXPECT_FALSE(tools_.Validate(compiled.words));
  EXPECT_TRUE(compile("#version 310 es\nvoid main() { undeclared = 1; }\n", EShLangCompute).words.empty());
}

}  // namespace
}  // namespace sightglass::test
