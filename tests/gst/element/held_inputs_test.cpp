// Input frames return to their source once the GPU has read them, however long downstream holds the output frames.
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "element_harness.h"
#include "gl_faults.h"
#include "model_elements.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr guint kPool = 4;     // like cameras and decoders
constexpr int kHeld = 24;      // like encoders that look ahead
constexpr int kPatience = 60;  // seconds to wait before giving up

// Whether the condition becomes true within kPatience.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < kPatience * 200; ++i) {
    if (condition()) return true;
    g_usleep(5000);
  }
  return false;
}

struct StopPool {
  void operator()(GstBufferPool* pool) const {
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
};
using OwnPool = std::unique_ptr<GstBufferPool, StopPool>;

OwnPool pool_of_four(GstBufferPool* pool, const std::string& text) {
  const OwnCaps caps = caps_of(text);
  GstVideoInfo info;
  EXPECT_TRUE(gst_video_info_from_caps(&info, caps.get()));
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps.get(), static_cast<guint>(info.size), kPool, kPool);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  EXPECT_TRUE(gst_buffer_pool_set_config(pool, config));
  EXPECT_TRUE(gst_buffer_pool_set_active(pool, TRUE));
  return OwnPool(pool);
}

// Returns the next buffer of the pool; null if none returns to it.
GstBuffer* acquire(const OwnPool& pool) {
  GstBuffer* buffer = nullptr;
  GstBufferPoolAcquireParams params = {};
  params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
  comes_true([&] { return gst_buffer_pool_acquire_buffer(pool.get(), &buffer, &params) == GST_FLOW_OK; });
  return buffer;
}

class HeldInputsOf : public EveryModelElement {
 protected:
  static void SetUpTestSuite() { install_gl_faults(); }

  // The first frame: the element allocates for it, and fails if GL does.
  static void start_up(ElementHarness& harness) {
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    EXPECT_NE(harness.pull(), nullptr);
  }
  // A frame that clears `alive` when it is freed.
  static GstBuffer* counted_frame(ElementHarness& harness, int& alive) {
    GstBuffer* frame = harness.frame();
    g_atomic_int_inc(&alive);
    gst_mini_object_weak_ref(
        GST_MINI_OBJECT_CAST(frame),
        [](gpointer count, GstMiniObject*) { g_atomic_int_add(static_cast<int*>(count), -1); }, &alive);
    return frame;
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, HeldInputsOf, kModelElements, name_of_element);

TEST_P(HeldInputsOf, APoolOfFourTexturesIsEnough) {
  ElementHarness harness(element());
  const OwnPool pool = pool_of_four(gst_gl_buffer_pool_new(harness.source().context()),
                                    TextureSource::caps(64, 48, GST_GL_TEXTURE_TARGET_2D));
  harness.begin(64, 48);
  for (int i = 0; i < kHeld; ++i) {
    GstBuffer* frame = acquire(pool);
    ASSERT_NE(frame, nullptr) << "after " << i << " frames, the pool has none any more";
    GST_BUFFER_PTS(frame) = static_cast<GstClockTime>(i) * GST_SECOND / 30;
    ASSERT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  }
  EXPECT_EQ(gst_harness_buffers_in_queue(harness.get()), static_cast<guint>(kHeld));
}

// Textures that wrap camera memory: glupload keeps the camera buffer with its own buffer.
TEST_P(HeldInputsOf, APoolOfFourUploadedFramesIsEnough) {
  TestPipeline pipeline(element());
  const std::string caps = "video/x-raw,format=RGBA,width=64,height=48,framerate=30/1";
  const OwnPool pool = pool_of_four(gst_buffer_pool_new(), caps);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < kHeld; ++i) {
    GstBuffer* frame = acquire(pool);
    ASSERT_NE(frame, nullptr) << "after " << i << " frames, the pool has none any more; " << pipeline.error();
    ASSERT_TRUE(pipeline.push(caps, frame));
  }
  for (int i = 0; i < kHeld; ++i) ASSERT_TRUE(pipeline.pull()) << i << ": " << pipeline.error();
}

// Neither a frame nor an event arrives that would make the element poll.
TEST_P(HeldInputsOf, FramesReturnByThemselves) {
  ElementHarness harness(element());
  harness.begin();
  int alive = 0;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
  EXPECT_TRUE(comes_true([&] { return g_atomic_int_get(&alive) == 0; })) << g_atomic_int_get(&alive);
  for (int i = 0; i < 3; ++i) {
    const OwnBuffer output = harness.pull();
    ASSERT_NE(output, nullptr);
    EXPECT_EQ(gst_buffer_get_parent_buffer_meta(output.get()), nullptr);
    EXPECT_NE(gst_buffer_get_gl_sync_meta(output.get()), nullptr);
  }
}

// A drain query, and upstream elements that stop, get them back at once.
TEST_P(HeldInputsOf, DrainingAndStoppingWait) {
  ElementHarness harness(element());
  harness.begin();
  int alive = 0;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
  const OwnQuery drain(gst_query_new_drain());
  gst_pad_peer_query(harness.upstream(), drain.get());
  EXPECT_EQ(g_atomic_int_get(&alive), 0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
  std::vector<OwnBuffer> held;
  for (int i = 0; i < 6; ++i) held.push_back(harness.pull());
  gst_element_set_state(harness.element(), GST_STATE_NULL);
  EXPECT_EQ(g_atomic_int_get(&alive), 0);
}

// A drain query also waits for frames that are just being released.
TEST_P(HeldInputsOf, DrainingWaitsForReleasesThatHaveBegun) {
  ElementHarness harness(element());
  harness.begin();
  struct Release {
    int begun = 0;
    int ended = 0;
  } release;
  start_up(harness);
  GstBuffer* frame = harness.frame();
  gst_mini_object_weak_ref(
      GST_MINI_OBJECT_CAST(frame),
      [](gpointer data, GstMiniObject*) {
        auto* release = static_cast<Release*>(data);
        g_atomic_int_set(&release->begun, 1);
        g_usleep(200000);
        g_atomic_int_set(&release->ended, 1);
      },
      &release);
  fail_gl("ClientWaitSync", kEveryCall);  // the frame is not released before push() returns
  ASSERT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  fail_gl("ClientWaitSync", 0);
  ASSERT_TRUE(comes_true([&] { return g_atomic_int_get(&release.begun) == 1; }));
  const OwnQuery drain(gst_query_new_drain());
  gst_pad_peer_query(harness.upstream(), drain.get());
  EXPECT_EQ(g_atomic_int_get(&release.ended), 1);
}

// The output may be dropped before the GPU has drawn it.
TEST_P(HeldInputsOf, FramesAreKeptUntilTheGpuHasReadThem) {
  ElementHarness harness(element());
  harness.begin();
  int alive = 0;
  start_up(harness);
  fail_gl("ClientWaitSync", kEveryCall);  // no fence is ever reached
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
    EXPECT_NE(harness.pull(), nullptr);  // and lets go
  }
  g_usleep(200000);
  EXPECT_EQ(g_atomic_int_get(&alive), 3);
  fail_gl("ClientWaitSync", 0);
  EXPECT_TRUE(comes_true([&] { return g_atomic_int_get(&alive) == 0; })) << g_atomic_int_get(&alive);
}

// If the driver cannot create a fence, the output keeps its input.
TEST_P(HeldInputsOf, WithoutAFenceTheOutputKeepsTheFrame) {
  ElementHarness harness(element());
  harness.begin();
  int alive = 0;
  ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
  ASSERT_TRUE(comes_true([&] { return g_atomic_int_get(&alive) == 0; }));
  ASSERT_NE(harness.pull(), nullptr);
  fail_gl("FenceSync", kEveryCall);
  ASSERT_EQ(harness.push(counted_frame(harness, alive)), GST_FLOW_OK) << harness.error();
  fail_gl("FenceSync", 0);
  g_usleep(100000);
  EXPECT_EQ(g_atomic_int_get(&alive), 1);
  EXPECT_NE(harness.pull(), nullptr);  // and lets go
  EXPECT_EQ(g_atomic_int_get(&alive), 0);
}

}  // namespace
}  // namespace sightglass::test
