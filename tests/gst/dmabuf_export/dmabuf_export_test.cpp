// gldmabufexport on machines without a device that exports DMABUFs: caps, choice, and errors. tests/vm has the rest.
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "dmabuf_export/dmabuf_pool.h"
#include "dmabuf_export/export_caps.h"
#include "gl/gl_bridge.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr uint32_t kXr24 = 0x34325258, kAb24 = 0x34324241, kNv12 = 0x3231564e;
constexpr uint64_t kTiled = 0x0100'0000'0000'0001;

class DmabufExportTest : public ::testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
};

std::string choose(const std::string& caps, const CanExport& can_export) {
  GstCaps* chosen = choose_export_caps(gst_caps_from_string(caps.c_str()), can_export);
  gchar* text = gst_caps_to_string(chosen);
  std::string result = text;
  g_free(text);
  gst_caps_unref(chosen);
  return result;
}

bool only_linear(uint32_t, uint64_t modifier) { return modifier == interop::kModifierLinear; }
bool only_rgba(uint32_t fourcc, uint64_t) { return fourcc == kAb24; }

std::optional<ExportFormat> format_of(const std::string& caps) {
  GstCaps* parsed = gst_caps_from_string(caps.c_str());
  auto format = export_format_of(parsed);
  gst_caps_unref(parsed);
  return format;
}

TEST_F(DmabufExportTest, FormatsMatchDrm) {
  const auto format = format_of("video/x-raw(memory:DMABuf),format=BGRx,width=64,height=32,framerate=30/1");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->request.fourcc, kXr24);
  EXPECT_EQ(format->request.width, 64);
  EXPECT_EQ(format->request.height, 32);
  EXPECT_EQ(format->request.modifiers, std::vector<uint64_t>{interop::kModifierLinear});
  EXPECT_EQ(format->meta_format, GST_VIDEO_FORMAT_BGRx);
  EXPECT_FALSE(format->planes());
  const auto planes =
      format_of("video/x-raw(memory:DMABuf),format=NV12,width=64,height=32,framerate=30/1,colorimetry=bt709");
  ASSERT_TRUE(planes);
  EXPECT_EQ(planes->request.fourcc, kNv12);
  EXPECT_TRUE(planes->planes());
  EXPECT_EQ(GST_VIDEO_INFO_COLORIMETRY(&planes->info).matrix, GST_VIDEO_COLOR_MATRIX_BT709);
  EXPECT_FALSE(format_of("video/x-raw(memory:DMABuf),format=I420,width=64,height=32,framerate=30/1"));
}

TEST_F(DmabufExportTest, DrmFormatsHaveModifiers) {
  const std::string caps = "video/x-raw(memory:DMABuf),format=DMA_DRM,width=64,height=32,framerate=30/1,drm-format=";
  const auto linear = format_of(caps + "XR24"), tiled = format_of(caps + "XR24:0x0100000000000001");
#if GST_CHECK_VERSION(1, 24, 0)
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->request.fourcc, kXr24);
  EXPECT_EQ(linear->request.modifiers, std::vector<uint64_t>{interop::kModifierLinear});
  EXPECT_EQ(linear->meta_format, GST_VIDEO_FORMAT_DMA_DRM);
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->request.modifiers, std::vector<uint64_t>{kTiled});
#else
  // Metadata has no such format.
  EXPECT_FALSE(linear);
  EXPECT_FALSE(tiled);
#endif
  for (const char* wrong : {"XR24:", "XR24:0x01zz", "TOOLONG", "YU12"}) EXPECT_FALSE(format_of(caps + wrong));
}

TEST_F(DmabufExportTest, DmabufMemoryGoesFirst) {
  const std::string chosen =
      choose("video/x-raw,format={BGRA,NV12}; video/x-raw(memory:DMABuf),format={NV12,BGRx}", only_linear);
  EXPECT_NE(chosen.find("memory:DMABuf"), std::string::npos) << chosen;
  EXPECT_EQ(chosen.find("BGRA"), std::string::npos) << chosen;
  EXPECT_LT(chosen.find("NV12"), chosen.find("BGRx")) << chosen;
}

TEST_F(DmabufExportTest, ImpossibleFormatsAreLeftOut) {
  EXPECT_EQ(choose("video/x-raw(memory:DMABuf),format={BGRx,NV12}", only_rgba), "EMPTY");
  const std::string rgba = choose("video/x-raw(memory:DMABuf),format={BGRx,RGBA}", only_rgba);
  EXPECT_NE(rgba.find("RGBA"), std::string::npos) << rgba;
  EXPECT_EQ(rgba.find("BGRx"), std::string::npos) << rgba;
  const std::string drm = choose(
      "video/"
      "x-raw(memory:DMABuf),format=DMA_DRM,drm-format={(string)XR24:0x0100000000000001,(string)P010,(string)AR24}",
      only_linear);
  EXPECT_NE(drm.find("AR24"), std::string::npos) << drm;
  EXPECT_EQ(drm.find("XR24"), std::string::npos) << drm;
  EXPECT_EQ(drm.find("P010"), std::string::npos) << drm;
}

TEST_F(DmabufExportTest, CapsTransformInBothDirections) {
  GstCaps* input = gst_caps_from_string(
      "video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D,width=64,height=32,framerate=30/1,colorimetry=bt709");
  GstCaps* output = transform_export_caps(GST_PAD_SINK, input);
  EXPECT_GE(gst_caps_get_size(output), 2U);
  for (guint i = 0; i < gst_caps_get_size(output); ++i) {
    const GstStructure* structure = gst_caps_get_structure(output, i);
    EXPECT_FALSE(gst_structure_has_field(structure, "texture-target"));
    gint width = 0;
    EXPECT_TRUE(gst_structure_get_int(structure, "width", &width));
    EXPECT_EQ(width, 64);
  }
  GstCaps* back = transform_export_caps(GST_PAD_SRC, output);
  EXPECT_TRUE(gst_caps_is_subset(input, back));
  gst_caps_unref(back);
  gst_caps_unref(output);
  gst_caps_unref(input);
}

TEST_F(DmabufExportTest, ColorimetryIsThatOfTheFrame) {
  GstCaps* input = gst_caps_from_string(
      "video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D,width=64,height=32,framerate=30/"
      "1,colorimetry=1:1:5:1");
  const auto colorimetry = [&](const char* fields) {
    GstCaps* output = gst_caps_from_string(
        (std::string("video/x-raw(memory:DMABuf),width=64,height=32,framerate=30/1,format=") + fields).c_str());
    set_export_colorimetry(input, output);
    const char* text = gst_structure_get_string(gst_caps_get_structure(output, 0), "colorimetry");
    std::string result = text != nullptr ? text : "";
    gst_caps_unref(output);
    return result;
  };
  EXPECT_EQ(colorimetry("BGRx"), "1:1:5:1");
  // The default matrix and range of GStreamer at this size, BT.601 and limited. The rest stays.
  EXPECT_EQ(colorimetry("NV12"), "2:4:5:1");
  EXPECT_EQ(colorimetry("NV12,colorimetry=bt709"), "bt709");
  gst_caps_unref(input);
}

TEST_F(DmabufExportTest, OrdinaryBuffersHaveNoDmabuf) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 16, nullptr);
  EXPECT_EQ(dmabuf_frame(buffer), nullptr);
  gst_buffer_unref(buffer);
  GstBuffer* empty = gst_buffer_new();
  EXPECT_EQ(dmabuf_frame(empty), nullptr);
  gst_buffer_unref(empty);
}

// Returns the pool that upstream selects if downstream offers `pool`. The caller owns it.
GstBufferPool* decided_pool(GstGLContext* context, GstCaps* caps, GstBufferPool* pool) {
  GstQuery* query = gst_query_new_allocation(caps, TRUE);
  gst_query_add_allocation_pool(query, pool, 640 * 480 * 4, 2, 0);
  EXPECT_TRUE(decide_gl_allocation(context, query));
  GstBufferPool* decided = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &decided, nullptr, nullptr, nullptr);
  gst_query_unref(query);
  return decided;
}

TEST_F(DmabufExportTest, UpstreamDrawsOnlyIntoTheExportedPool) {
  const Launched pipeline("glfiguresrc num-buffers=1 ! appsink name=sink");
  pipeline.play();
  GstSample* sample = pipeline.pull();
  ASSERT_NE(sample, nullptr);
  GstGLContext* context = GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(gst_sample_get_buffer(sample), 0))->context;
  GstBufferPool* exported = make_dmabuf_pool(context, {}, nullptr);
  GstBufferPool* other = gst_gl_buffer_pool_new(context);
  GstBufferPool* const for_exported = decided_pool(context, gst_sample_get_caps(sample), exported);
  GstBufferPool* const for_other = decided_pool(context, gst_sample_get_caps(sample), other);
  EXPECT_EQ(for_exported, exported);
  EXPECT_NE(for_other, other);
  for (GstBufferPool* pool : {exported, other, for_exported, for_other}) gst_object_unref(pool);
  gst_sample_unref(sample);
}

// A software renderer without a DRM device.
TEST_F(DmabufExportTest, WithoutADeviceTheErrorSuggestsAFix) {
  if (std::filesystem::exists("/dev/dri")) GTEST_SKIP() << "this machine has a DRM device, /dev/dri";
  for (const char* downstream : {"", "video/x-raw(memory:DMABuf),format=NV12 ! "}) {
    const std::string error =
        Launched(std::string("glfiguresrc num-buffers=2 ! gldmabufexport ! ") + downstream + "fakesink").outcome();
    std::printf("%s\n", error.c_str());
    EXPECT_NE(error.find("DRM device"), std::string::npos) << error;
    EXPECT_NE(error.find("gldownload"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace sightglass::test
