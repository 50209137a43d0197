// Strict compilers, without a driver: glslang as a library compiles every two defines under the rules of OpenGL ES 3.1
// and 3.2, links the stages of programs, and reports what they need. Warnings are errors. Rules that it does not check
// are read from the text.
#include <GLES3/gl31.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "every_variant.h"
#include "sightglass/device_limits.h"

namespace sightglass::test {
namespace {

EShLanguage stage_language(const std::string& file) {
  if (file.ends_with(".comp")) return EShLangCompute;
  return file.ends_with(".vert") ? EShLangVertex : EShLangFragment;
}

// Guaranteed by OpenGL ES 3.1 (tables 20.40 to 20.48 of its specification).
TBuiltInResource guaranteed_resources() {
  TBuiltInResource r = *GetDefaultResources();
  r.maxVertexAttribs = 16;
  r.maxVertexUniformVectors = 256;
  r.maxVaryingVectors = 15;
  r.maxVertexTextureImageUnits = 16;
  r.maxCombinedTextureImageUnits = 48;
  r.maxTextureImageUnits = 16;
  r.maxFragmentUniformVectors = 224;
  r.maxDrawBuffers = 4;
  r.maxComputeWorkGroupCountX = r.maxComputeWorkGroupCountY = r.maxComputeWorkGroupCountZ = 65535;
  r.maxComputeWorkGroupSizeX = r.maxComputeWorkGroupSizeY = 128;
  r.maxComputeWorkGroupSizeZ = 64;
  r.maxComputeTextureImageUnits = 16;
  r.maxComputeImageUniforms = 4;
  r.maxImageUnits = 4;
  r.maxVertexImageUniforms = 0;
  return r;
}

std::string source_of(const ShaderKey& key, int version) {
  Result<std::string> source = assemble_shader(key, every_source());
  EXPECT_TRUE(source.ok()) << source.status().message();
  if (!source.ok()) return {};
  const std::string first = "#version 310 es\n";
  EXPECT_TRUE(source->starts_with(first)) << key.name();
  return "#version " + std::to_string(version) + " es\n" + source->substr(first.size());
}

// Types of uniforms, as glslang reports them. The constants of each kind follow one another.
bool is_image(int type) { return type >= 0x904C && type <= 0x906C; }  // GL_IMAGE_1D to the last multisampled array
bool is_number(int type) {
  return (type >= GL_INT && type <= GL_FLOAT) || (type >= GL_FLOAT_VEC2 && type <= GL_FLOAT_MAT4) ||
         (type >= GL_FLOAT_MAT2x3 && type <= GL_FLOAT_MAT4x3) ||
         (type >= GL_UNSIGNED_INT_VEC2 && type <= GL_UNSIGNED_INT_VEC4);
}

class StrictTest : public ::testing::Test {
 protected:
  StrictTest() { glslang::InitializeProcess(); }
  ~StrictTest() override { glslang::FinalizeProcess(); }

  // Null, and a failure of the test, if there is any message. The program refers to the shader.
  std::unique_ptr<glslang::TShader> compiled(const ShaderKey& key, int version) const {
    auto shader = std::make_unique<glslang::TShader>(stage_language(key.shader));
    const std::string source = source_of(key, version);
    const char* text = source.c_str();
    shader->setStrings(&text, 1);
    const bool parsed = shader->parse(&resources_, version, false, EShMsgDefault);
    const std::string log = shader->getInfoLog();
    EXPECT_TRUE(parsed && log.empty()) << key.name() << " as " << version << " es:\n" << log;
    return parsed && log.empty() ? std::move(shader) : nullptr;
  }

  const TBuiltInResource resources_ = guaranteed_resources();
};

TEST_F(StrictTest, EveryPairOfDefinesCompilesAsVersion320) {
  size_t good = 0;
  for (const ShaderKey& key : with_every_pair(every_variant())) good += compiled(key, 320) != nullptr ? 1 : 0;
  std::printf("%zu variants\n", good);
  EXPECT_GT(good, 100u);
}

TEST_F(StrictTest, MessagesAreDetected) {
  const auto message = [&](const std::string& source) {
    glslang::TShader shader(EShLangCompute);
    const char* text = source.c_str();
    shader.setStrings(&text, 1);
    const bool parsed = shader.parse(&resources_, 310, false, EShMsgDefault);
    return !parsed || shader.getInfoLog()[0] != '\0';
  };
  const std::string head = "#version 310 es\nprecision highp float;\nprecision highp int;\n";
  const std::string group = "layout(local_size_x = 1) in;\n", body = "void main() {}\n";
  EXPECT_FALSE(message(head + group + body));
  EXPECT_TRUE(message(head + group + "const float kHalf = 1;\n" + body)) << "an implicit conversion";
  EXPECT_TRUE(message(head + group + "layout(binding = 0) uniform isampler2D u_numbers;\n" + body)) << "no precision";
  EXPECT_TRUE(message(head + group + "layout(rg16f, binding = 0) writeonly uniform highp image2D u_out;\n" + body))
      << "a format that OpenGL ES does not have";
  EXPECT_TRUE(message(head + group + "layout(rgba8, binding = 0) uniform highp image2D u_out;\n" + body))
      << "an image that is read and written";
  EXPECT_TRUE(message(head + group + "buffer Block { float first[]; float last; };\n" + body))
      << "an array without end";
  EXPECT_TRUE(message(head + "layout(local_size_x = 256) in;\n" + body)) << "more invocations than guaranteed";
}

TEST_F(StrictTest, StagesLinkWithoutAMessage) {
  size_t linked = 0;
  for (const int version : {310, 320}) {
    for (const ProgramKey& key : element_programs()) {
      if (key.size() < 2) continue;
      std::vector<std::unique_ptr<glslang::TShader>> shaders;
      glslang::TProgram program;
      for (const ShaderKey& stage : key) {
        shaders.push_back(compiled(stage, version));
        ASSERT_NE(shaders.back(), nullptr);
        program.addShader(shaders.back().get());
      }
      EXPECT_TRUE(program.link(EShMsgDefault)) << key.back().name() << "\n" << program.getInfoLog();
      EXPECT_STREQ(program.getInfoLog(), "") << key.back().name();
      ++linked;
    }
  }
  std::printf("%zu programs of two stages\n", linked);
  EXPECT_GT(linked, 10u);
}

// Every two defines compile as version 310, and what the planner does not choose by the limits of a device fits those
// that every device has.
TEST_F(StrictTest, EveryPairOfDefinesFitsEveryDevice) {
  constexpr DeviceLimits kLimits;
  constexpr int kUniformBlocks = 12, kTextures = 16, kUniformBindings = 36;
  int most_storage_blocks = 0, most_uniform_bytes = 0, all_textures = 0, all_images = 0;
  std::string with_most_blocks;
  for (const ShaderKey& key : with_every_pair(every_variant())) {
    const auto shader = compiled(key, 310);
    ASSERT_NE(shader, nullptr);
    glslang::TProgram program;
    program.addShader(shader.get());
    ASSERT_TRUE(program.link(EShMsgDefault)) << key.name() << "\n" << program.getInfoLog();
    ASSERT_TRUE(program.buildReflection(EShReflectionSeparateBuffers | EShReflectionAllBlockVariables)) << key.name();
    EXPECT_LE(program.getNumUniformBlocks(), kUniformBlocks) << key.name();
    for (int i = 0; i < program.getNumUniformBlocks(); ++i) {
      const glslang::TObjectReflection& block = program.getUniformBlock(i);
      EXPECT_LE(block.size, kLimits.max_uniform_block_bytes) << key.name() << ": " << block.name;
      EXPECT_GE(block.getBinding(), 0) << key.name() << ": " << block.name << " has no binding";
      EXPECT_LT(block.getBinding(), kUniformBindings) << key.name() << ": " << block.name;
      most_uniform_bytes = std::max(most_uniform_bytes, block.size);
    }
    int textures = 0, images = 0;
    for (int i = 0; i < program.getNumUniformVariables(); ++i) {
      const glslang::TObjectReflection& uniform = program.getUniform(i);
      if (is_number(uniform.glDefineType)) continue;
      const bool image = is_image(uniform.glDefineType);
      (image ? images : textures) += std::max(uniform.size, 1);
      EXPECT_GE(uniform.getBinding(), 0) << key.name() << ": " << uniform.name << " has no binding";
      EXPECT_LT(uniform.getBinding(), image ? kLimits.compute_image_units : kTextures)
          << key.name() << ": " << uniform.name;
    }
    all_textures += textures;
    all_images += images;
    EXPECT_LE(textures, kTextures) << key.name();
    EXPECT_LE(images, kLimits.compute_image_units) << key.name();
    for (int i = 0; i < program.getNumBufferBlocks(); ++i) {
      EXPECT_GE(program.getBufferBlock(i).getBinding(), 0) << key.name();
    }
    if (stage_language(key.shader) != EShLangCompute) {
      EXPECT_EQ(images, 0) << key.name();
    }
    if (program.getNumBufferBlocks() <= most_storage_blocks) continue;
    most_storage_blocks = program.getNumBufferBlocks();
    with_most_blocks = key.name();
  }
  std::printf("at most %d storage blocks (%s), uniform blocks of at most %d bytes\n", most_storage_blocks,
              with_most_blocks.c_str(), most_uniform_bytes);
  EXPECT_LE(most_storage_blocks, kLimits.compute_storage_blocks);
  EXPECT_GT(all_textures, 0);
  EXPECT_GT(all_images, 0);
}

// Each embedded file without comments, by name.
std::map<std::string, std::string> code_of_files() {
  static const std::regex comment(R"(//[^\n]*)");
  std::map<std::string, std::string> code;
  for (const ShaderFiles& files : every_source()) {
    for (const EmbeddedShader& file : files) {
      code[std::string(file.name)] = std::regex_replace(std::string(file.text), comment, "");
    }
  }
  return code;
}

// Extensions precede all code, so only the assembler writes them.
TEST(StrictText, FilesHaveNoVersionsExtensionsOrPragmas) {
  const std::regex directive(R"(#\s*(version|extension|pragma)\b)");
  for (const auto& [name, code] : code_of_files()) EXPECT_FALSE(std::regex_search(code, directive)) << name;
}

// Some drivers for desktop GPUs calculate `mediump` in 16 bits. Only products of 16-bit floats may be so.
TEST(StrictText, EverythingElseIsHighp) {
  const std::regex low(R"(\b(mediump|lowp)\b)");
  for (const auto& [name, code] : code_of_files()) {
    EXPECT_EQ(std::regex_search(code, low), name == "lib/tensor.glsl") << name;
  }
}

// Keywords and reserved words of desktop OpenGL and Cg that ES 3.1 does not reserve, and functions of ES 3.2, desktop
// OpenGL and Cg that ES 3.1 does not have: compilers that share one front end may know them in every version.
TEST(StrictText, NamesAreFreeInEveryLanguage) {
  static const std::set<std::string> kTaken{
      // ESSL 3.20 and GLSL 4.60
      "sample", "precise", "patch", "subroutine", "common", "partition", "active", "filter", "resource", "input",
      "output", "noperspective", "double", "texture1D", "image1D",
      // Cg and HLSL
      "half", "half2", "half3", "half4", "float2", "float3", "float4", "int2", "int3", "int4", "fixed", "fixed2",
      "fixed3", "fixed4", "string", "pixelfragment", "vertexfragment", "pass", "technique", "compile", "column_major",
      "row_major",
      // functions
      "fma", "lerp", "saturate", "frac", "rsqrt", "rcp", "mul", "atan2", "ddx", "ddy", "fmod", "log10", "sincos",
      "tex2D", "fwidthFine", "noise1", "ftransform", "interpolateAtCentroid", "anyInvocation"};
  const std::regex word(R"([A-Za-z_]\w*)"), quoted(R"("[^"]*")");
  for (auto [name, code] : code_of_files()) {
    code = std::regex_replace(code, quoted, "");
    for (std::sregex_iterator found(code.begin(), code.end(), word); found != std::sregex_iterator(); ++found) {
      EXPECT_FALSE(kTaken.contains(found->str())) << name << ": '" << found->str() << "'";
    }
  }
}

// barrier() orders accesses of invocations to shared variables only; accesses to buffers need memoryBarrierBuffer(),
// too.
TEST(StrictText, BuffersAreOrderedByMemoryBarriers) {
  const std::map<std::string, std::string> alone{
      {"detect/yolo_boxes.comp", "one invocation per work group accesses the buffer, atomically"},
      {"infer/range.comp", "only one invocation accesses the buffer"},
      {"segment/grade.comp", "only one invocation accesses the buffer"},
      {"segment/noise.comp", "only one invocation accesses the buffer"},
      {"segment/region_find.comp", "only one invocation accesses the buffer"}};
  const std::map<std::string, size_t> several{{"pose/follow.comp", 2}};  // memory barriers; one suffices elsewhere
  const std::regex block(R"(layout\(std430[^)]*\)\s*(coherent )?buffer )"), own_output(R"(#define READS_OUTPUT)");
  int checked = 0;
  for (const auto& [name, code] : code_of_files()) {
    const bool reads_and_writes = std::regex_search(code, block) || std::regex_search(code, own_output);
    if (!reads_and_writes || code.find("barrier();") == code.npos || alone.contains(name)) continue;
    size_t barriers = 0;
    for (size_t at = 0; (at = code.find("memoryBarrierBuffer();", at)) != code.npos; ++at) ++barriers;
    EXPECT_EQ(barriers, several.contains(name) ? several.at(name) : 1) << name;
    ++checked;
  }
  EXPECT_GT(checked, 3);
}

}  // namespace
}  // namespace sightglass::test
