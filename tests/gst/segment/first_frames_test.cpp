// Drivers compile for the formats of textures. Before the first frame is composited, all programs that the next frames
// run are compiled for those of their textures.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "harness/scratch_folder.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() { return fs::path(scratch_folder()) / "compiled"; }

// The files in the shader cache of Mesa, which has one for each program and set of formats. A thread of the driver
// writes them: none has come for half a second.
size_t compiled() {
  size_t before = 0, now = 0;
  do {
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    now = 0;
    for (const auto& entry : fs::recursive_directory_iterator(cache_folder())) now += entry.is_regular_file() ? 1 : 0;
  } while (now != before);
  return now;
}

std::atomic<size_t> compiled_before_composite = 0;

void on_log(GstDebugCategory*, GstDebugLevel, const gchar*, const gchar*, gint, GObject*, GstDebugMessage* message,
            gpointer) {
  const char* const text = gst_debug_message_get(message);
  if (text != nullptr && std::string_view(text).starts_with("composite: ") && compiled_before_composite == 0) {
    compiled_before_composite = compiled();
  }
}

// Compiling takes long on a busy machine.
bool pass_patiently(TestPipeline& pipeline, const Rgba& frame) {
  if (!pipeline.push(frame)) return false;
  for (int tries = 0; tries < 6 && !pipeline.at_end(); ++tries) {
    if (pipeline.pull()) return true;
  }
  return false;
}

TEST(FirstFrames, CompileNothing) {
  // Before the first context: drivers read it then.
  fs::create_directories(cache_folder());
  setenv("MESA_SHADER_CACHE_DIR", cache_folder().c_str(), 1);
  TestPipeline pipeline("glsegment name=segment cache-dir=\"\" refine=guided smoothing=0.8 model=" + red_model());
  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_add_log_function(on_log, nullptr, nullptr);
  gst_debug_set_threshold_from_string("glsegment:LOG", TRUE);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = left_half_red(640, 480);
  ASSERT_TRUE(pass_patiently(pipeline, frame)) << pipeline.error();
  if (compiled_before_composite == 0) GTEST_SKIP() << "the driver keeps no compiled programs";
  if (fs::exists(cache_folder() / "mesa_shader_cache_db")) GTEST_SKIP() << "Mesa keeps all programs in a few files";
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  const size_t after = compiled();
  std::printf("compiled programs before the first frame %zu, after five frames %zu\n", compiled_before_composite.load(),
              after);
  EXPECT_EQ(after, compiled_before_composite);
}

}  // namespace
}  // namespace sightglass::test
