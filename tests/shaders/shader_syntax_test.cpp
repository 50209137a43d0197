// All shaders must compile with glslangValidator, the reference compiler, and with the driver of this machine: with
// every two defines that the engine or an element may request together, or in every combination if
// SIGHTGLASS_EVERY_VARIANT is set. With SIGHTGLASS_VARIANT_SHARD=2/8, the driver gets every eighth from the third on,
// so that eight processes share the work.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "every_variant.h"
#include "figure/shaders.h"
#include "gpu_engine/build_programs.h"
#include "harness/gl_test.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

std::vector<EmbeddedShader> every_file() {
  std::vector<EmbeddedShader> every;
  for (const ShaderFiles& files : every_source()) every.insert(every.end(), files.begin(), files.end());
  return every;
}

// An optimizing compiler takes minutes for all of them.
std::vector<ShaderKey> variants_to_compile() {
  const std::vector<ShaderKey> every = every_variant();
  return std::getenv("SIGHTGLASS_EVERY_VARIANT") != nullptr ? every : with_every_pair(every);
}

// Empty if the text is no shard.
std::vector<ShaderKey> shard_of(const std::vector<ShaderKey>& keys, const char* text) {
  unsigned shard = 0, shards = 1;
  if (text != nullptr && (std::sscanf(text, "%u/%u", &shard, &shards) != 2 || shard >= shards)) return {};
  std::vector<ShaderKey> chosen;
  for (size_t i = shard; i < keys.size(); i += shards) chosen.push_back(keys[i]);
  return chosen;
}

TEST(ShaderSyntax, EveryVariantIsInOneShard) {
  const std::vector<ShaderKey> keys{{"a.comp", {}}, {"b.comp", {}}, {"c.comp", {}}};
  EXPECT_EQ(shard_of(keys, nullptr), keys);
  EXPECT_EQ(shard_of(keys, "0/2"), (std::vector<ShaderKey>{keys[0], keys[2]}));
  EXPECT_EQ(shard_of(keys, "1/2"), (std::vector<ShaderKey>{keys[1]}));
  for (const char* wrong : {"", "1", "2/2", "0/0", "x/2"}) EXPECT_TRUE(shard_of(keys, wrong).empty()) << wrong;
}

TEST(ShaderSyntax, GlslangValidatorAcceptsEveryPairOfDefines) {
  if (run_program("glslangValidator --version 2>&1").status != 0) GTEST_SKIP() << "glslangValidator is not installed";
  // Many files per command: starting one takes longer than checking a shader.
  constexpr size_t kFiles = 100;
  const std::vector<ShaderKey> keys = variants_to_compile();
  for (size_t first = 0; first < keys.size(); first += kFiles) {
    std::string command = "glslangValidator";
    for (size_t i = first; i < std::min(first + kFiles, keys.size()); ++i) {
      const Result<std::string> source = assemble_shader(keys[i], every_source());
      ASSERT_TRUE(source.ok()) << source.status().message();
      const auto file =
          scratch_folder() / (std::to_string(i) + std::filesystem::path(keys[i].shader).extension().string());
      std::ofstream(file) << *source;
      command += " " + file.string();
    }
    const auto [status, output] = run_program(command + " 2>&1");
    const bool warns = output.find("WARNING") != std::string::npos;
    EXPECT_TRUE(status == 0 && !warns) << "variants " << first << " and on, the first of which is "
                                       << keys[first].name() << "\n"
                                       << output;
  }
  std::printf("%zu variants\n", keys.size());
  EXPECT_GT(keys.size(), 40u);
}

TEST(ShaderSyntax, ABrokenShaderIsDetected) {
  if (run_program("glslangValidator --version 2>&1").status != 0) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string file = scratch_folder() / "broken.comp";
  std::ofstream(file) << "#version 310 es\nlayout(local_size_x = 1) in;\nvoid main() { undeclared = 1; }\n";
  EXPECT_NE(run_program("glslangValidator " + file + " 2>&1").status, 0);
}

TEST(ShaderSyntax, EveryEmbeddedShaderHasAVariant) {
  std::set<std::string> asked_for;
  for (const ShaderKey& key : every_variant()) asked_for.insert(key.shader);
  for (const EmbeddedShader& shader : every_file()) {
    if (shader.name.ends_with(".glsl") || shader.name.ends_with(".h")) continue;  // included by others
    EXPECT_TRUE(asked_for.contains(std::string(shader.name))) << shader.name << " is never requested";
  }
}

// Each library embeds only its own shaders: the engine those of no element, and the element libraries no kernels.
TEST(ShaderSyntax, LibrariesEmbedTheirOwnFiles) {
  const std::map<std::string, ShaderFiles> libraries{
      {"engine", engine_shaders()}, {"elements", element_shaders()}, {"figures", figure_shaders()}};
  std::map<std::string, std::set<std::string>> folders;
  for (const auto& [library, files] : libraries) {
    for (const EmbeddedShader& file : files) {
      if (file.name.ends_with(".h")) continue;  // constants from headers of the libraries
      folders[library].insert(std::filesystem::path(file.name).parent_path().string());
    }
  }
  EXPECT_EQ(folders["engine"], (std::set<std::string>{"", "lib", "measure"}));
  EXPECT_EQ(folders["figures"], (std::set<std::string>{"figure", "gl"}));
  for (const char* others : {"", "lib", "measure", "figure"}) EXPECT_FALSE(folders["elements"].contains(others));
}

// Constants that C++ and shaders share are in C++ headers, which shaders include.
TEST(ShaderSyntax, ConstantsOfHeadersAreNotRepeated) {
  const std::regex defined(R"(#define (k\w+))"), declared(R"(\b(k[A-Z]\w*)\s*=[^=])");
  const auto names = [](const EmbeddedShader& file, const std::regex& pattern) {
    using Matches = std::regex_iterator<std::string_view::const_iterator>;
    std::vector<std::string> found;
    for (Matches match(file.text.begin(), file.text.end(), pattern); match != Matches(); ++match) {
      found.push_back((*match)[1].str());
    }
    return found;
  };
  for (const ShaderFiles& files : every_source()) {
    std::map<std::string, std::string_view> headers;  // per constant
    for (const EmbeddedShader& file : files) {
      if (!file.name.ends_with(".h")) continue;
      for (const std::string& name : names(file, defined)) headers.emplace(name, file.name);
    }
    EXPECT_FALSE(headers.empty());
    for (const EmbeddedShader& file : files) {
      for (const std::string& name : names(file, declared)) {
        EXPECT_FALSE(headers.contains(name)) << file.name << " declares " << name << "; include " << headers[name];
      }
    }
  }
}

// The Mali compiler of Mesa 25.0 crashes on some shaders with outputs of fewer components, two floats among them.
TEST(ShaderSyntax, FragmentOutputsHaveFourComponents) {
  const std::regex narrow(R"(layout\(location = \d\) out (float|vec2|vec3)\b)");
  ASSERT_TRUE(std::regex_search("layout(location = 1) out float o_region;", narrow));
  for (const EmbeddedShader& shader : every_file()) {
    if (!shader.name.ends_with(".frag")) continue;
    EXPECT_FALSE(std::regex_search(shader.text.begin(), shader.text.end(), narrow)) << shader.name;
  }
}

// Numbers that the code that binds and dispatches also needs.
TEST(ShaderSyntax, UniformBlocksAndWorkGroupsAreNotNumbered) {
  const std::regex number(R"(std140, binding = \d|local_size_\w = (\d\d|[2-9]))");
  ASSERT_TRUE(std::regex_search("layout(local_size_x = 64) in;", number));
  ASSERT_TRUE(std::regex_search("layout(local_size_x = 8, local_size_y = 8) in;", number));
  ASSERT_FALSE(std::regex_search("layout(local_size_x = 1) in;", number));
  for (const EmbeddedShader& shader : every_file()) {
    std::match_results<std::string_view::const_iterator> found;
    EXPECT_FALSE(std::regex_search(shader.text.begin(), shader.text.end(), found, number))
        << shader.name << ": '" << found.str() << "'; include a name from a C++ header";
  }
}

// Some compilers generate invalid SPIR-V for such arrays (zink in Mesa 22.3).
TEST(ShaderSyntax, NoArraysOfBooleans) {
  const std::regex array(R"(\bb(ool|vec[234])\s*(\w+\s*)?\[|\bshared\s+b(ool|vec[234])\b)");
  ASSERT_TRUE(std::regex_search("  bool inside[PIXELS];", array));
  ASSERT_TRUE(std::regex_search("shared bool seen;", array));
  ASSERT_TRUE(std::regex_search("bvec4[2] lanes;", array));
  ASSERT_FALSE(std::regex_search("bool inside = taken[0] != 0;", array));
  for (const EmbeddedShader& shader : every_file()) {
    std::match_results<std::string_view::const_iterator> found;
    const bool has_array = std::regex_search(shader.text.begin(), shader.text.end(), found, array);
    EXPECT_FALSE(has_array) << shader.name << ": '" << found.str() << "'; use ints instead";
  }
}

// Writes past the end of shared memory are not checked: llvmpipe writes into its heap, a GPU into another work group.
TEST(ShaderSyntax, SharedArraysHaveAnElementPerInvocation) {
  const std::regex array(R"(shared \w+ (\w+)\[([^\]]+)\];)"), group(R"(local_size_x = (\w+))");
  int written = 0;
  for (const EmbeddedShader& shader : every_file()) {
    const std::string text(shader.text);
    std::smatch size;
    if (!std::regex_search(text, size, group)) continue;
    for (std::sregex_iterator found(text.begin(), text.end(), array); found != std::sregex_iterator(); ++found) {
      const std::string name = (*found)[1], length = (*found)[2];
      // A statement of its own, so that no condition precedes it on its line.
      if (!std::regex_search(text, std::regex("\n" + name + R"(\[lane\] =)"))) continue;
      ++written;
      EXPECT_EQ(length, size[1].str()) << shader.name << ": the length of " << name << " and the size of the group";
    }
  }
  EXPECT_GT(written, 8);
}

TEST(ShaderLibrary, MissingFilesAreNamed) {
  expect_failure(assemble_shader({"no_such.comp", {}}, every_source()), {"no_such.comp"});
}

TEST(ShaderVariants, EveryPairOfDefinesIsChosenOnce) {
  const auto key = [](std::vector<ShaderDefine> defines) { return ShaderKey{"a.comp", std::move(defines)}; };
  const ShaderDefine p1{"P", "1"}, p2{"P", "2"}, q{"Q", "1"}, r{"R", "1"};
  const std::vector<ShaderKey> variants{key({p1}),    key({p2}),       key({p1, q}),    key({p2, q}),  key({p1, r}),
                                        key({p2, r}), key({p1, q, r}), key({p2, q, r}), {"b.comp", {}}};
  // All pairs of the last one of a.comp were in those before it.
  const std::vector<ShaderKey> chosen = with_every_pair(variants);
  EXPECT_EQ(chosen, (std::vector<ShaderKey>{variants[0], variants[1], variants[2], variants[3], variants[4],
                                            variants[5], variants[6], variants[8]}));
}

using ShaderDriverTest = GlTest;

TEST_F(ShaderDriverTest, TheDriverBuildsEveryPairOfDefines) {
  const std::vector<ShaderKey> keys = shard_of(variants_to_compile(), std::getenv("SIGHTGLASS_VARIANT_SHARD"));
  size_t built = 0;
  ASSERT_FALSE(keys.empty()) << "SIGHTGLASS_VARIANT_SHARD is not a shard, such as 2/8";
  for (const ShaderKey& key : keys) {
    // For the log of a run that is stopped.
    if (built++ % 20 == 0) {
      std::printf("%zu of %zu variants\n", built - 1, keys.size());
      std::fflush(stdout);
    }
    if (!key.shader.ends_with(".comp")) continue;
    if (!device().limits.external_textures &&
        key.name().find(frame_define(FrameKind::kExternal)) != std::string::npos) {
      continue;
    }
    const Result<GlProgram> program = build_program(gl(), {key}, every_source());
    EXPECT_TRUE(program.ok()) << program.status().message();
  }
}

// The order in which a batch of programs reaches the driver.
std::vector<char>& steps() {
  static std::vector<char> taken;
  return taken;
}
const GlApi* real = nullptr;
void compile_shader(GLuint shader) {
  steps().push_back('c');
  real->CompileShader(shader);
}
void link_program(GLuint program) {
  steps().push_back('l');
  real->LinkProgram(program);
}
void get_shader(GLuint shader, GLenum name, GLint* value) {
  steps().push_back('?');
  real->GetShaderiv(shader, name, value);
}
void get_program(GLuint program, GLenum name, GLint* value) {
  steps().push_back('?');
  real->GetProgramiv(program, name, value);
}

// Functions that record steps() and then call those of `gl`, which must outlive them.
GlApi recording(const GlApi& gl) {
  real = &gl;
  GlApi table = gl;
  table.CompileShader = compile_shader;
  table.LinkProgram = link_program;
  table.GetShaderiv = get_shader;
  table.GetProgramiv = get_program;
  return table;
}

// A driver with compiler threads must get all programs before the first result is queried.
TEST_F(ShaderDriverTest, ProgramsAreCompiledThenLinkedThenQueried) {
  const GlApi table = recording(gl());
  const std::vector<ProgramKey> keys{
      {kBlurDownShader},
      {kBlurGaussShader},
      {kFullscreenShader, composite_shader(kBlurComposite, FrameKind::kRgba, Refine::kNone, false, false)}};
  steps().clear();
  const auto programs = value_of(build_programs(table, keys, every_source()));
  const std::string order(steps().begin(), steps().end());
  EXPECT_EQ(order.substr(0, order.find('?')), "cccclll");
  EXPECT_EQ(order.find_first_of("cl", order.find('?')), std::string::npos) << order;
}

// A driver with compiler threads, and the numbers of threads that it is told to use.
constexpr GLint kThreadsBefore = 3;
const char* only_extension = nullptr;
std::vector<GLuint>& thread_counts() {
  static std::vector<GLuint> counts;
  return counts;
}
void max_shader_compiler_threads(GLuint count) {
  steps().push_back('t');
  thread_counts().push_back(count);
}
void get_integer(GLenum name, GLint* value) {
  if (name == GL_NUM_EXTENSIONS) {
    *value = 1;
  } else if (name == GL_MAX_SHADER_COMPILER_THREADS_KHR) {
    *value = kThreadsBefore;
  } else {
    real->GetIntegerv(name, value);
  }
}
const GLubyte* get_string(GLenum /*name*/, GLuint /*index*/) {
  return reinterpret_cast<const GLubyte*>(only_extension);
}

// Before the first shader, and restored after the last result.
TEST_F(ShaderDriverTest, CompilerThreadsAreUsedIfTheDriverHasThem) {
  GlApi table = recording(gl());
  table.GetIntegerv = get_integer;
  table.GetStringi = get_string;
  table.MaxShaderCompilerThreads = max_shader_compiler_threads;
  const std::vector<ProgramKey> keys{{kBlurDownShader}, {kBlurGaussShader}};
  const auto order_with = [&](const char* extension) {
    only_extension = extension;
    steps().clear();
    thread_counts().clear();
    EXPECT_TRUE(build_programs(table, keys, every_source()).ok());
    return std::string(steps().begin(), steps().end());
  };
  for (const char* extension : {"GL_KHR_parallel_shader_compile", "GL_ARB_parallel_shader_compile"}) {
    EXPECT_EQ(order_with(extension), "tccll??t") << extension;
    EXPECT_EQ(thread_counts(), (std::vector<GLuint>{0xFFFFFFFF, kThreadsBefore})) << extension;
  }
  // The library may export the function although the context does not support it.
  EXPECT_EQ(order_with("GL_OES_other"), "ccll??");
  table.MaxShaderCompilerThreads = nullptr;
  EXPECT_EQ(order_with("GL_KHR_parallel_shader_compile"), "ccll??");
}

TEST_F(ShaderDriverTest, TheErrorHasTheDriverLog) {
  const Result<GlProgram> program =
      build_program(gl(), {{"conv2d.comp", {}}}, {engine_shaders()});  // without its defines
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.status().message().find("conv2d.comp"), std::string::npos) << program.status().message();
}

}  // namespace
}  // namespace sightglass::test
