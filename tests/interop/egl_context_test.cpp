#include "sightglass/interop/egl_context.h"

#include <EGL/eglext.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "harness/gl_test.h"
#include "harness/value_of.h"

namespace sightglass::interop {
namespace {

using test::GlTest;
using test::value_of;

std::string gl_string(const GlApi& gl, GLenum name) { return reinterpret_cast<const char*>(gl.GetString(name)); }

class ContextTest : public GlTest {};

TEST_F(ContextTest, HeadlessContextIsEs31) {
  auto context = value_of(Context::create_headless());
  const ScopedMakeCurrent current(*context);
  ASSERT_TRUE(current.ok()) << current.status().message();
  GLint major = 0, minor = 0;
  gl().GetIntegerv(GL_MAJOR_VERSION, &major);
  gl().GetIntegerv(GL_MINOR_VERSION, &minor);
  std::printf("%s: %s, %s\n", context->display().name().c_str(), gl_string(gl(), GL_VERSION).c_str(),
              gl_string(gl(), GL_RENDERER).c_str());
  EXPECT_NE(gl_string(gl(), GL_VERSION).find("OpenGL ES"), std::string::npos);
  EXPECT_GE(10 * major + minor, 31);
}

TEST_F(ContextTest, DesktopContext) {
  auto context = Context::create_headless(GlFlavour::kDesktopCore45);
  if (!context.ok()) GTEST_SKIP() << context.status().message();
  const ScopedMakeCurrent current(**context);
  ASSERT_TRUE(current.ok()) << current.status().message();
  EXPECT_EQ(gl_string(gl(), GL_VERSION).find("OpenGL ES"), std::string::npos) << gl_string(gl(), GL_VERSION);
  EXPECT_GE(gl_string(gl(), GL_VERSION), "4.5");
}

TEST_F(ContextTest, EveryDisplayThatOpensHasAContext) {
  int opened = 0;
  for (const DisplayCandidate& candidate : headless_display_candidates()) {
    auto display = candidate.open();
    if (!display.ok()) {
      std::printf("%s: %s\n", candidate.name.c_str(), display.status().message().c_str());
      EXPECT_FALSE(display.status().message().empty());
      continue;
    }
    ++opened;
    auto context = Context::create(*display, GlFlavour::kEs31);
    std::printf("%s: %s\n", candidate.name.c_str(), context.ok() ? "ok" : context.status().message().c_str());
  }
  EXPECT_GT(opened, 0);
}

TEST_F(ContextTest, MakeCurrentRestoresThePreviousContext) {
  auto first = value_of(Context::create_headless());
  auto second = value_of(first->create_sharing());
  const EGLContext before = eglGetCurrentContext();
  EXPECT_EQ(before, context().handle());
  {
    const ScopedMakeCurrent outer(*first);
    EXPECT_EQ(eglGetCurrentContext(), first->handle());
    {
      const ScopedMakeCurrent inner(*second);
      EXPECT_EQ(eglGetCurrentContext(), second->handle());
    }
    EXPECT_EQ(eglGetCurrentContext(), first->handle());
  }
  EXPECT_EQ(eglGetCurrentContext(), before);
  // On a thread without a context, none is current afterward either.
  std::thread([&] {
    EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT);
    { const ScopedMakeCurrent current(*first); }
    EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT);
  }).join();
}

TEST_F(ContextTest, SharedContextSeesTheSameObjects) {
  auto other = context().create_sharing();
  ASSERT_TRUE(other.ok()) << other.status().message();
  GLuint buffer = 0;
  gl().GenBuffers(1, &buffer);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
  gl().BufferData(GL_SHADER_STORAGE_BUFFER, 48, nullptr, GL_STATIC_DRAW);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  gl().Finish();
  std::thread([&] {
    const ScopedMakeCurrent current(**other);
    ASSERT_TRUE(current.ok()) << current.status().message();
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    const void* mapped = gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, 48, GL_MAP_READ_BIT);
    EXPECT_NE(mapped, nullptr);
    if (mapped != nullptr) gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  }).join();
  gl().DeleteBuffers(1, &buffer);
}

TEST_F(ContextTest, DestroyingAContextLeavesTheDisplayToOthers) {
  auto first = value_of(Context::create_headless());
  { auto second = Context::create_headless(); }
  const ScopedMakeCurrent current(*first);
  EXPECT_TRUE(current.ok()) << current.status().message();
  EXPECT_FALSE(gl_string(gl(), GL_RENDERER).empty());
}

TEST_F(ContextTest, CreatingAContextKeepsTheThreadsApi) {
  ASSERT_EQ(eglBindAPI(EGL_OPENGL_API), static_cast<EGLBoolean>(EGL_TRUE));
  { auto context = Context::create_headless(); }
  EXPECT_EQ(eglQueryAPI(), static_cast<EGLenum>(EGL_OPENGL_API));
  eglBindAPI(EGL_OPENGL_ES_API);
}

TEST_F(ContextTest, ThreadsHaveContextsThatShare) {
  auto threads = value_of(ContextThreads::create(3));
  GLuint buffer = 0;
  gl().GenBuffers(1, &buffer);
  gl().BindBuffer(GL_ARRAY_BUFFER, buffer);
  gl().BindBuffer(GL_ARRAY_BUFFER, 0);
  gl().Finish();
  const auto is_buffer = reinterpret_cast<GLboolean (*)(GLuint)>(eglGetProcAddress("glIsBuffer"));
  const EGLContext own = eglGetCurrentContext();
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::set<EGLContext> contexts;
    threads->run([&] {
      EXPECT_EQ(is_buffer(buffer), GL_TRUE);
      const std::lock_guard lock(mutex);
      contexts.insert(eglGetCurrentContext());
    });
    EXPECT_EQ(contexts.size(), 4u);
    EXPECT_TRUE(contexts.contains(own));
    EXPECT_FALSE(contexts.contains(EGL_NO_CONTEXT));
  }
  gl().DeleteBuffers(1, &buffer);
}

TEST_F(ContextTest, ExceptionsOfThreadsEndThere) {
  auto threads = value_of(ContextThreads::create(2));
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> calls = 0;
  threads->run([&] {
    ++calls;
    if (std::this_thread::get_id() != here) throw std::runtime_error("elsewhere");
  });
  EXPECT_EQ(calls, 3);
  EXPECT_THROW(threads->run([&] {
    ++calls;
    if (std::this_thread::get_id() == here) throw std::runtime_error("here");
  }),
               std::runtime_error);
  EXPECT_EQ(calls, 6);
}

TEST_F(ContextTest, TheEnvironmentLimitsThreadsThatCompile) {
  const auto threads = [](const char* wanted) {
    setenv("SIGHTGLASS_COMPILER_THREADS", wanted, 1);
    std::atomic<int> calls = 0;
    if (const auto run = ContextThreads::for_compiling()) run([&] { ++calls; });
    unsetenv("SIGHTGLASS_COMPILER_THREADS");
    return calls.load();
  };
  EXPECT_EQ(threads("1"), 0);
  EXPECT_EQ(threads("3"), 3);
  EXPECT_EQ(threads("99999"), 0);
}

TEST_F(ContextTest, ThreadsNeedACurrentContext) {
  std::thread([] {
    const auto threads = ContextThreads::create(1);
    ASSERT_FALSE(threads.ok());
    EXPECT_NE(threads.status().message().find("EGL"), std::string::npos) << threads.status().message();
    EXPECT_FALSE(ContextThreads::for_compiling());
  }).join();
}

TEST(ContextError, ListsEverythingThatWasTried) {
  const std::vector<DisplayCandidate> candidates = {
      {"first way", [] { return Result<std::shared_ptr<Display>>(device_error("no such extension")); }},
      {"second way", [] { return Result<std::shared_ptr<Display>>(Display::borrow(EGL_NO_DISPLAY, "second way")); }},
  };
  auto context = Context::create_headless(GlFlavour::kEs31, candidates);
  ASSERT_FALSE(context.ok());
  std::printf("%s\n", context.status().message().c_str());
  for (const char* part :
       {"OpenGL ES 3.1", "first way: no such extension", "second way: ", "EGL_BAD_DISPLAY", "libegl-mesa0"}) {
    EXPECT_NE(context.status().message().find(part), std::string::npos) << part;
  }
}

TEST(ContextError, NamesOfErrorsAndExtensions) {
  EXPECT_EQ(egl_error_name(EGL_BAD_MATCH), "EGL_BAD_MATCH");
  EXPECT_EQ(egl_error_name(EGL_CONTEXT_LOST), "EGL_CONTEXT_LOST");
  EXPECT_EQ(egl_error_name(0x1234), "0x1234");
  EXPECT_TRUE(extension_listed("EGL_A_long EGL_A EGL_B", "EGL_A"));
  EXPECT_FALSE(extension_listed("EGL_A_long EGL_BA", "EGL_A"));
  EXPECT_FALSE(extension_listed(nullptr, "EGL_A"));
}

}  // namespace
}  // namespace sightglass::interop
