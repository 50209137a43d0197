// Programs on disk: found only by their complete source text, and harmless whatever the directory contains.
#include "sightglass/program_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "gl/counting_gl.h"
#include "gl/real_gl.h"
#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

// A directory that does not exist yet, and is deleted after the test.
class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "sightglass-cache-XXXXXX";
    root_ = mkdtemp(name.data());
    path_ = root_ / "a" / "b";
  }
  ~Folder() { fs::remove_all(root_); }
  const fs::path& path() const { return path_; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (!fs::exists(path_)) return found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path());
    return found;
  }

 private:
  fs::path root_, path_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

ProgramCache::Binary binary_of(const std::string& text, uint32_t format = 7) {
  ProgramCache::Binary binary{format, {}};
  for (const char c : text) binary.bytes.push_back(static_cast<std::byte>(c));
  return binary;
}

TEST(ProgramCacheFile, FindsAStoredProgram) {
  const Folder folder;
  ProgramCache cache(folder.path());
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", binary_of("binary"));
  cache.store("empty", binary_of(""));
  ProgramCache again(folder.path());
  const auto found = again.find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->format, 7u);
  EXPECT_EQ(found->bytes, binary_of("binary").bytes);
  ASSERT_TRUE(again.find("empty"));
  EXPECT_FALSE(again.find("kez"));
  EXPECT_EQ(folder.files().size(), 2u) << "no temporary file remains";
  EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
  cache.store("key", binary_of("newer"));
  EXPECT_EQ(again.find("key")->bytes, binary_of("newer").bytes);
  again.remove("key");
  EXPECT_FALSE(cache.find("key"));
}

TEST(ProgramCacheFile, EveryFlippedByteIsDetected) {
  const Folder folder;
  ProgramCache cache(folder.path());
  cache.store("the key", binary_of("some binary of a driver"));
  const fs::path path = folder.files().at(0);
  const std::string good = read_file(path);
  for (size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      write_file(path, bad);
      EXPECT_FALSE(cache.find("the key")) << "byte " << at;
      EXPECT_FALSE(fs::exists(path)) << "byte " << at << ": a damaged file is deleted";
    }
  }
}

TEST(ProgramCacheFile, EveryTruncationIsDetected) {
  const Folder folder;
  ProgramCache cache(folder.path());
  cache.store("the key", binary_of("some binary of a driver"));
  const fs::path path = folder.files().at(0);
  const std::string good = read_file(path);
  for (size_t size = 0; size < good.size(); ++size) {
    write_file(path, good.substr(0, size));
    EXPECT_FALSE(cache.find("the key")) << size << " bytes";
  }
  write_file(path, good + "x");
  EXPECT_FALSE(cache.find("the key")) << "one extra byte";
}

// Simulates two keys with the same hash.
TEST(ProgramCacheFile, TheWholeKeyIsCompared) {
  const Folder folder;
  ProgramCache cache(folder.path());
  cache.store("one", binary_of("1"));
  const fs::path one = folder.files().at(0);
  cache.store("two", binary_of("2"));
  for (const fs::path& path : folder.files()) {
    if (path != one) fs::copy_file(one, path, fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(cache.find("two"));
  EXPECT_TRUE(cache.find("one"));
  EXPECT_EQ(folder.files().size(), 2u) << "a valid file of another key is kept";
}

TEST(ProgramCacheFile, TheOldestAreEvicted) {
  const Folder folder;
  ProgramCache cache(folder.path(), 1000);
  for (int i = 0; i < 10; ++i) {
    const auto before = folder.files();
    cache.store(std::to_string(i), binary_of(std::string(200, 'x')));
    for (const fs::path& path : folder.files()) {
      if (std::ranges::find(before, path) != before.end()) continue;
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
    }
  }
  // Four of 241 bytes fit.
  for (int i = 0; i < 10; ++i) EXPECT_EQ(cache.find(std::to_string(i)).has_value(), i >= 6) << i;
  cache.store("huge", binary_of(std::string(2000, 'x')));
  EXPECT_FALSE(cache.find("huge"));
  EXPECT_EQ(folder.files().size(), 4u);
}

TEST(ProgramCacheFile, OtherFilesAreLeftAlone) {
  const Folder folder;
  fs::create_directories(folder.path());
  write_file(folder.path() / "notes.txt", std::string(5000, 'n'));
  ProgramCache cache(folder.path(), 1000);
  cache.store("key", binary_of("binary"));
  EXPECT_TRUE(cache.find("key"));
  EXPECT_TRUE(fs::exists(folder.path() / "notes.txt"));
}

TEST(ProgramCacheFile, ImpossibleFoldersAreHarmless) {
  const Folder folder;
  fs::create_directories(folder.path());
  write_file(folder.path() / "file", "");
  for (const std::string& path : {std::string("/proc/sightglass"), std::string("/dev/null/x"), std::string(),
                                  (folder.path() / "file").string(), std::string(5000, 'a')}) {
    ProgramCache cache(path);
    cache.store("key", binary_of("binary"));
    EXPECT_FALSE(cache.find("key")) << path;
    cache.remove("key");
  }
}

// In place of a file, there is a directory, a pipe, or a dangling link.
TEST(ProgramCacheFile, SpecialFilesAreHarmless) {
  const Folder folder;
  ProgramCache cache(folder.path());
  cache.store("key", binary_of("binary"));
  const fs::path path = folder.files().at(0);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_FALSE(cache.find("key"));
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("key"));
  fs::remove(path);
  fs::create_symlink("/nowhere", path);
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", binary_of("binary"));
  EXPECT_TRUE(cache.find("key"));
}

// Programs run on the GPU, so no other user may have written them.
TEST(ProgramCacheFile, AFolderThatOthersMayWriteToIsNotUsed) {
  const Folder folder;
  ProgramCache cache(folder.path());
  cache.store("key", binary_of("binary"));
  fs::permissions(folder.path(), fs::perms::all);
  EXPECT_FALSE(cache.find("key"));
  cache.store("other", binary_of("binary"));
  EXPECT_EQ(cache.stored(), 1);
  EXPECT_EQ(folder.files().size(), 1u) << "nothing in it is deleted";
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_TRUE(cache.find("key"));
}

// The cost of a start, and its output.
struct Start {
  int compiled = 0;
  int loaded = 0;
  std::vector<std::byte> output;
};

class ProgramCacheTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    GLint formats = 0;
    gl().GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    if (formats == 0) GTEST_SKIP() << "the driver has no program binaries";
  }

  Start start(const fs::path& folder) { return start(folder, counting_gl(gl())); }
  Start start(const fs::path& folder, const GlApi& table) {
    CaseBuilder builder(3);
    const ValueId data = builder.input({1, 8, 8, 4});
    const ValueId sum = builder.node(OpType::kAdd, {}, {data, data});
    builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                 {sum, builder.constant({4, 1, 1, 4}), builder.constant({4})});
    const OpCase op = builder.build("cached");
    const auto model = model_from_graph(op.graph);
    const auto plan = value_of(Plan::build(*model, device().limits));
    gl_calls().clear();
    const auto group = ShareGroup::create(table, std::make_shared<ProgramCache>(folder));
    auto session = value_of(Session::create(group, plan));
    programs_ = plan->programs();
    Start result{gl_calls()["LinkProgram"], gl_calls()["ProgramBinary"], {}};
    result.output.resize(size_t{8} * 8 * 4 * sizeof(float));
    EXPECT_TRUE(session->write_input(0, op.inputs[0].data).ok());
    EXPECT_TRUE(session->run().ok());
    EXPECT_TRUE(session->read_output(0, result.output).ok());
    return result;
  }

  int programs_ = 0;
};

TEST_F(ProgramCacheTest, TheSecondStartCompilesNothing) {
  const Folder folder;
  const Start first = start(folder.path());
  EXPECT_EQ(first.compiled, programs_);
  EXPECT_EQ(folder.files().size(), static_cast<size_t>(programs_));
  const Start second = start(folder.path());
  EXPECT_EQ(second.compiled, 0);
  EXPECT_EQ(second.loaded, programs_);
  EXPECT_EQ(second.output, first.output);
}

TEST_F(ProgramCacheTest, DamagedFilesAreReplaced) {
  const Folder folder;
  const Start first = start(folder.path());
  for (int round = 0; round < 20; ++round) {
    for (const fs::path& path : folder.files()) {
      std::string bytes = read_file(path);
      const size_t at = bytes.size() * static_cast<size_t>(round) / 20 + static_cast<size_t>(round) % 7;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << round % 8));
      write_file(path, round % 5 == 4 ? bytes.substr(0, at) : bytes);
    }
    const Start damaged = start(folder.path());
    EXPECT_EQ(damaged.compiled, programs_) << round;
    EXPECT_EQ(damaged.loaded, 0) << round << ": a damaged binary must not reach the driver";
    EXPECT_EQ(damaged.output, first.output);
    EXPECT_EQ(start(folder.path()).compiled, 0) << round;
  }
}

// A driver that rejects every binary.
void refuse_binary(GLuint program, GLenum /*format*/, const void* binary, GLsizei size) {
  real_gl->ProgramBinary(program, 0xBAD, binary, size);
}
const GLubyte* other_renderer(GLenum name) {
  return name == GL_RENDERER ? reinterpret_cast<const GLubyte*>("Another GPU") : real_gl->GetString(name);
}
const GLubyte* other_version(GLenum name) {
  return name == GL_VERSION ? reinterpret_cast<const GLubyte*>("OpenGL ES 3.2 Driver 99") : real_gl->GetString(name);
}
void no_formats(GLenum name, GLint* value) {
  real_gl->GetIntegerv(name, value);
  if (name == GL_NUM_PROGRAM_BINARY_FORMATS) *value = 0;
}

TEST_F(ProgramCacheTest, RejectedBinariesAreReplaced) {
  const Folder folder;
  const Start first = start(folder.path());
  GlApi table = counting_gl(gl());
  real_gl = &gl();
  table.ProgramBinary = refuse_binary;
  const Start refused = start(folder.path(), table);
  EXPECT_EQ(refused.compiled, programs_);
  EXPECT_EQ(refused.output, first.output);
  EXPECT_EQ(folder.files().size(), static_cast<size_t>(programs_)) << "stored again";
}

TEST_F(ProgramCacheTest, AnotherDeviceOrDriverIsAMiss) {
  const Folder folder;
  start(folder.path());
  real_gl = &gl();
  GlApi table = counting_gl(gl());
  table.GetString = other_renderer;
  EXPECT_EQ(start(folder.path(), table).loaded, 0);
  table.GetString = other_version;
  EXPECT_EQ(start(folder.path(), table).loaded, 0);
  EXPECT_EQ(folder.files().size(), static_cast<size_t>(3 * programs_)) << "each one has its own programs";
}

TEST_F(ProgramCacheTest, NothingIsWrittenWithoutBinaryFormats) {
  const Folder folder;
  real_gl = &gl();
  GlApi table = counting_gl(gl());
  table.GetIntegerv = no_formats;
  EXPECT_EQ(start(folder.path(), table).compiled, programs_);
  EXPECT_FALSE(fs::exists(folder.path()));
}

TEST_F(ProgramCacheTest, UnwritableFoldersAreHarmless) {
  const Folder folder;
  const Start first = start(folder.path());
  for (const char* path : {"/proc/sightglass", "/dev/null/x", ""}) {
    const Start other = start(path);
    EXPECT_EQ(other.compiled, programs_) << path;
    EXPECT_EQ(other.output, first.output) << path;
  }
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(start(folder.path()).compiled, 0) << "read-only";
  fs::permissions(folder.path(), fs::perms::owner_all);
}

}  // namespace
}  // namespace sightglass::test
