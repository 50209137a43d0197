// The preload library, by itself and together with the tracer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "../gst/tiny_model.h"
#include "gl_watch/entry.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "tracer_run.h"

namespace sightglass::test {
namespace {

// A setting that preloads libraries in this order. The loader splits it at blanks and colons, so each library gets a
// link in a directory without them.
std::string preload(const std::vector<std::string>& libraries) {
  std::string setting = "LD_PRELOAD=";
  for (const std::string& library : libraries) {
    const std::filesystem::path link = scratch_folder() / std::filesystem::path(library).filename();
    if (!std::filesystem::exists(link)) std::filesystem::create_symlink(library, link);
    setting += (setting.back() == '=' ? "" : ":") + link.string();
  }
  return setting;
}

const std::string kPreload = preload({SIGHTGLASS_GL_WATCH});
const std::string kGlCalls = quoted(SIGHTGLASS_GL_CALLS) + " ";
constexpr const char* kReadback = "glReadPixels etc.";
constexpr const char* kUpload = "glTexImage etc.";
constexpr const char* kMap = "glMapBuffer etc.";

// Without the padding of the columns.
std::string squeeze(std::string text) {
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  return text;
}

using GlWatch = TracedTest;

// Whatever way the program looks up GL functions.
TEST_F(GlWatch, CountsByThread) {
  for (const std::string way : {"linked", "egl", "dlsym"}) {
    const TracerRun run = run_traced("", kGlCalls + way, kPreload);
    if (run.status == 77) GTEST_SKIP() << "no GL context";
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_NE(squeeze(run.output)
                  .find("gl-watch: calls by thread\n"
                        "painter glReadPixels etc. 1 calls 64 bytes\n"
                        "painter glTexImage etc. 3 calls 1536 bytes\n"
                        "painter glMapBuffer etc. 1 calls 64 bytes\n"
                        "painter glFinish 1 calls 0 bytes\n"),
              std::string::npos)
        << way << "\n"
        << run.output;
  }
}

TEST_F(GlWatch, LeavesProgramsWithoutGlAlone) {
  const TracerRun run = run_traced("", "sh -c 'echo hello'", kPreload);
  EXPECT_EQ(run.output, "hello\n");
}

// dlsym(RTLD_NEXT) of other libraries works as it does without our library.
TEST_F(GlWatch, OtherPreloadLibrariesFindTheNextSymbol) {
  for (const std::string& order : {preload({SIGHTGLASS_GL_WATCH, SIGHTGLASS_NEXT_FUNCTION}),
                                   preload({SIGHTGLASS_NEXT_FUNCTION, SIGHTGLASS_GL_WATCH})}) {
    const TracerRun run = run_traced("", kGlCalls + "egl", order);
    EXPECT_TRUE(run.says("passed on")) << run.output;
    EXPECT_FALSE(run.says("found itself")) << run.output;
    EXPECT_FALSE(run.says("parent -1")) << run.output;
  }
}

TEST_F(GlWatch, TracerShowsItsCountsByElement) {
  const TracerRun run = launch_traced(
      "zerocopy",
      "videotestsrc num-buffers=10 ! video/x-raw,format=RGBA,width=64,height=48 ! identity drop-allocation=true ! "
      "glupload name=up ! glcolorconvert ! gleffects_identity ! gldownload name=down ! video/x-raw ! fakesink",
      kPreload);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.row("down", kReadback).calls, 10u) << run.output;
  EXPECT_EQ(run.row("down", kReadback).bytes, uint64_t{10} * 64 * 48 * 4) << run.output;
  EXPECT_EQ(run.row("down", kReadback).thread, "gstglcontext") << run.output;
  // GStreamer fills a mapped pixel buffer object or, if it cannot, passes pixels to GL.
  EXPECT_GE(run.row("up", kMap).calls + run.row("up", kUpload).calls, 10u) << run.output;
  EXPECT_FALSE(run.says("were not watched")) << run.output;
  EXPECT_FALSE(run.says("gl-watch")) << run.output;
}

// Uploads by elements themselves bypass GstMemory.
TEST_F(GlWatch, CountsTransfersThatBypassMemory) {
  const std::string pipeline =
      "gltestsrc num-buffers=10 ! 'video/x-raw(memory:GLMemory),width=64,height=48' ! "
      "gleffects name=effect effect=heat ! fakesink";
  const TracerRun without = launch_traced("zerocopy(fail=true)", pipeline);
  EXPECT_EQ(without.status, 0) << without.output;
  EXPECT_TRUE(without.rows.empty()) << without.output;
  const TracerRun with = launch_traced("zerocopy(fail=true)", pipeline, kPreload);
  EXPECT_EQ(with.status, 88) << with.output;
  EXPECT_GE(with.row("effect", kUpload).calls, 1u) << with.output;  // a color table
  EXPECT_EQ(with.row("effect", kReadback).calls, 0u) << with.output;
}

TEST_F(GlWatch, SegmentTransfersNothingAfterItsFirstFrame) {
  const TracerRun run = launch_traced(
      "zerocopy(fail=true,skip=1)",
      "gltestsrc num-buffers=20 ! 'video/x-raw(memory:GLMemory),width=64,height=48' ! glsegment model=" + red_model() +
          " ! fakesink",
      kPreload);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.summary, "nothing was copied") << run.output;
}

TEST(PixelSize, OfFormatsAndTypes) {
  using gl_watch::pixel_bytes;
  EXPECT_EQ(pixel_bytes(0x1908, 0x1401, 16, 8, 1), 512u);   // RGBA bytes
  EXPECT_EQ(pixel_bytes(0x1903, 0x1401, 16, 8, 1), 128u);   // RED bytes
  EXPECT_EQ(pixel_bytes(0x8227, 0x1406, 2, 3, 4), 192u);    // RG floats
  EXPECT_EQ(pixel_bytes(0x1907, 0x8363, 10, 10, 1), 200u);  // RGB 5_6_5
  EXPECT_EQ(pixel_bytes(0x84F9, 0x84FA, 10, 1, 1), 40u);    // depth and stencil
  EXPECT_EQ(pixel_bytes(0x1908, 0x1401, 1 << 16, 1 << 16, 1), uint64_t{1} << 34);
  EXPECT_EQ(pixel_bytes(0x1908, 0x1401, -1, 8, 1), 0u);
  EXPECT_EQ(pixel_bytes(0x1234, 0x1401, 8, 8, 1), 0u);
  EXPECT_EQ(pixel_bytes(0x1908, 0x1234, 8, 8, 1), 0u);
}

}  // namespace
}  // namespace sightglass::test
