// The negotiation of every element that runs a model with its neighbors, which are a harness: caps, new caps in
// mid-stream, and memory.
#include <gst/video/video.h>

#include "element_harness.h"
#include "model_elements.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

class HarnessCaps : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, HarnessCaps, kModelElements, name_of_element);

const std::string kRgbaTexture = "video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D";

void expect_caps(const GstCaps* found, const std::string& expected) {
  ASSERT_NE(found, nullptr);
  gchar* text = gst_caps_to_string(found);
  EXPECT_TRUE(gst_caps_is_equal(found, caps_of(expected).get())) << text << "\nis not\n" << expected;
  g_free(text);
}

// The caps on the pad of the element that is linked to the harness.
OwnCaps query_caps(GstPad* of_harness, const std::string& filter) {
  return OwnCaps(gst_pad_peer_query_caps(of_harness, caps_of(filter).get()));
}

OwnCaps current_caps(GstPad* pad) { return OwnCaps(gst_pad_get_current_caps(pad)); }

TEST_P(HarnessCaps, UpstreamIsOfferedDownstreamCaps) {
  ElementHarness harness(element());
  gst_harness_set_sink_caps_str(harness.get(), (kRgbaTexture + ",width=[64,128],height=48,framerate=30/1,"
                                                               "pixel-aspect-ratio=4/3,colorimetry=sRGB,own=(int)7")
                                                   .c_str());
  expect_caps(query_caps(harness.upstream(),
                         "video/x-raw,format=RGBA;"
                         "video/x-raw(memory:GLMemory),format={BGRA,NV12},texture-target=2D,"
                         "width=100;" +
                             kRgbaTexture)
                  .get(),
              "video/x-raw(memory:GLMemory),format=NV12,texture-target=2D,width=100,height=48,framerate=30/1,"
              "pixel-aspect-ratio=4/3,own=(int)7;" +
                  kRgbaTexture +
                  ",width=[64,128],height=48,framerate=30/1,pixel-aspect-ratio=4/3,colorimetry=sRGB,own=(int)7");
  EXPECT_TRUE(gst_caps_is_empty(query_caps(harness.upstream(), "video/x-raw,format=RGBA").get()));
  EXPECT_TRUE(gst_caps_is_empty(query_caps(harness.upstream(), kRgbaTexture + ",height=50").get()));
}

TEST_P(HarnessCaps, DownstreamIsOfferedUpstreamCaps) {
  ElementHarness harness(element());
  gst_harness_set_src_caps_str(harness.get(),
                               "video/x-raw(memory:GLMemory),format=NV12,texture-target=2D,width=64,"
                               "height=48,framerate=25/1,pixel-aspect-ratio=8/9,chroma-site=mpeg2,"
                               "colorimetry=bt709,own=(int)7");
  expect_caps(query_caps(harness.downstream(),
                         "video/x-raw,format=RGBA;"
                         "video/x-raw(memory:GLMemory),format={NV12,RGBA},width=[1,100]")
                  .get(),
              kRgbaTexture + ",width=64,height=48,framerate=25/1,pixel-aspect-ratio=8/9,own=(int)7");
  EXPECT_TRUE(gst_caps_is_empty(query_caps(harness.downstream(), kRgbaTexture + ",width=80").get()));
}

TEST_P(HarnessCaps, RotatedFramesHaveRotatedCaps) {
  ElementHarness harness(element("video-direction=90r"));
  gst_harness_set_sink_caps_str(
      harness.get(), (kRgbaTexture + ",width=48,height=[64,100],framerate=30/1,pixel-aspect-ratio=4/3").c_str());
  expect_caps(query_caps(harness.upstream(), kRgbaTexture).get(),
              kRgbaTexture + ",width=[64,100],height=48,framerate=30/1,pixel-aspect-ratio=3/4");
  harness.send_caps(kRgbaTexture + ",width=80,height=48,framerate=30/1,pixel-aspect-ratio=3/4");
  expect_caps(current_caps(harness.downstream()).get(),
              kRgbaTexture + ",width=48,height=80,framerate=30/1,pixel-aspect-ratio=4/3");
}

// Caps have more fields than the element needs.
TEST_P(HarnessCaps, FieldsAreForwarded) {
  ElementHarness harness(element());
  const std::string all = kRgbaTexture +
                          ",width=64,height=48,framerate=30000/1001,max-framerate=60/1,pixel-aspect-ratio=8/9,"
                          "interlace-mode=progressive,multiview-mode=mono,colorimetry=1:1:16:9,"
                          "content-light-level=(string)\"1000:400\",own=(int)7";
  harness.send_caps(all);
  expect_caps(current_caps(harness.downstream()).get(), all);
  harness.send_caps(
      "video/x-raw(memory:GLMemory),format=NV12,texture-target=2D,width=80,height=48,"
      "framerate=0/1,chroma-site=mpeg2,colorimetry=bt709,own=(int)7");
  expect_caps(current_caps(harness.downstream()).get(),
              kRgbaTexture + ",width=80,height=48,framerate=0/1,colorimetry=1:1:5:1,own=(int)7");
}

TEST_P(HarnessCaps, OtherCapsAreRejected) {
  ElementHarness harness(element());
  for (const std::string refused :
       {"video/x-raw,format=RGBA,width=64,height=48", "video/x-raw(memory:GLMemory),format=BGRx,width=64,height=48",
        "video/x-raw(memory:DMABuf),format=RGBA,width=64,height=48", "audio/x-raw,format=S16LE,rate=8000,channels=1",
        "video/x-raw(memory:GLMemory),format=RGBA,texture-target=rectangle,width=64,height=48"}) {
    EXPECT_FALSE(gst_pad_peer_query_accept_caps(harness.upstream(), caps_of(refused).get())) << refused;
    harness.send_caps(refused);
    ASSERT_TRUE(harness.send_segment());
    EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_NOT_NEGOTIATED) << refused;
    // Once for the event, and once for the frame, which repeats it.
    std::string error;
    for (std::string next = harness.error(); !next.empty(); next = harness.error()) error = next;
    const bool video = refused.starts_with("video"), textures = refused.find("GLMemory") != std::string::npos;
    EXPECT_EQ(error.empty(), !video) << refused << ": " << error;
    if (!video) continue;
    EXPECT_NE(error.find(textures ? "put glcolorconvert" : "put glupload"), std::string::npos)
        << refused << ": " << error;
  }
  EXPECT_EQ(harness.take_log(), Log{"stream-start"});
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), (Log{"caps 64x48", "segment", "buffer 64x48"}));
}

TEST_P(HarnessCaps, FramesWithoutCapsAreRejected) {
  ElementHarness harness(element());
  ASSERT_TRUE(harness.send_segment());
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_NOT_NEGOTIATED);
  EXPECT_EQ(harness.pull(), nullptr);
}

TEST_P(HarnessCaps, TheNextFrameHasTheNewSize) {
  ElementHarness harness(element());
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  harness.take_log();
  harness.send_caps(TextureSource::caps(80, 33, GST_GL_TEXTURE_TARGET_2D));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(harness.push(harness.frame(80, 33)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), (Log{"caps 80x33", "buffer 80x33", "buffer 80x33"}));
  // The same caps again are not a change.
  harness.send_caps(TextureSource::caps(80, 33, GST_GL_TEXTURE_TARGET_2D));
  EXPECT_EQ(harness.push(harness.frame(80, 33)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), Log{"buffer 80x33"});
}

TEST_P(HarnessCaps, TheNextFrameIsRotated) {
  ElementHarness harness(element());
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  harness.take_log();
  g_object_set(harness.element(), "video-direction", GST_VIDEO_ORIENTATION_90R, nullptr);
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  g_object_set(harness.element(), "video-direction", GST_VIDEO_ORIENTATION_180, nullptr);
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), (Log{"caps 48x64", "buffer 48x64", "caps 64x48", "buffer 64x48"}));
}

// Downstream requests another size, which only upstream can provide.
TEST_P(HarnessCaps, DownstreamRenegotiates) {
  ElementHarness harness(element());
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  while (harness.upstream_event(GST_EVENT_RECONFIGURE) != nullptr) {
    // Linking pads sends such an event.
  }
  const std::string wanted = TextureSource::caps(32, 24, GST_GL_TEXTURE_TARGET_2D);
  gst_harness_set_sink_caps_str(harness.get(), wanted.c_str());
  EXPECT_NE(harness.upstream_event(GST_EVENT_RECONFIGURE), nullptr);
  expect_caps(query_caps(harness.upstream(), kRgbaTexture).get(), wanted);
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_NOT_NEGOTIATED) << "a frame of the old size";
  harness.take_log();
  harness.send_caps(wanted);
  EXPECT_EQ(harness.push(harness.frame(32, 24)), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), (Log{"caps 32x24", "buffer 32x24"}));
}

OwnQuery ask_for_allocation(const ElementHarness& harness, const std::string& caps, bool need_pool) {
  OwnQuery query(gst_query_new_allocation(caps_of(caps).get(), need_pool ? TRUE : FALSE));
  return gst_pad_peer_query(harness.upstream(), query.get()) != FALSE ? std::move(query) : nullptr;
}

// The pool offered with the answer; null if there is none.
GstBufferPool* offered_pool(GstQuery* query) {
  if (gst_query_get_n_allocation_pools(query) != 1) return nullptr;
  GstBufferPool* pool = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  return pool;
}

TEST_P(HarnessCaps, UpstreamIsOfferedAPool) {
  ElementHarness harness(element());
  harness.begin();
  const OwnQuery query = ask_for_allocation(harness, TextureSource::caps(64, 48, GST_GL_TEXTURE_TARGET_2D), true);
  ASSERT_NE(query, nullptr);
  for (const GType meta : {GST_GL_SYNC_META_API_TYPE, GST_VIDEO_META_API_TYPE}) {
    EXPECT_TRUE(gst_query_find_allocation_meta(query.get(), meta, nullptr)) << g_type_name(meta);
  }
  for (const GType meta : {GST_VIDEO_CROP_META_API_TYPE, GST_VIDEO_AFFINE_TRANSFORMATION_META_API_TYPE}) {
    EXPECT_FALSE(gst_query_find_allocation_meta(query.get(), meta, nullptr)) << g_type_name(meta);
  }
  GstBufferPool* pool = offered_pool(query.get());
  ASSERT_NE(pool, nullptr);
  ASSERT_TRUE(gst_buffer_pool_set_active(pool, TRUE));
  GstBuffer* frame = nullptr;
  ASSERT_EQ(gst_buffer_pool_acquire_buffer(pool, &frame, nullptr), GST_FLOW_OK);
  EXPECT_NE(gst_buffer_get_gl_sync_meta(frame), nullptr);
  GstMemory* memory = gst_buffer_peek_memory(frame, 0);
  ASSERT_TRUE(gst_is_gl_memory(memory));
  EXPECT_EQ(GST_GL_BASE_MEMORY_CAST(memory)->context, harness.source().context());
  EXPECT_EQ(gst_gl_memory_get_texture_target(GST_GL_MEMORY_CAST(memory)), GST_GL_TEXTURE_TARGET_2D);
  GST_BUFFER_PTS(frame) = 0;
  EXPECT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

TEST_P(HarnessCaps, UpstreamMayHaveItsOwnPool) {
  ElementHarness harness(element());
  harness.begin();
  const OwnQuery query = ask_for_allocation(harness, TextureSource::caps(64, 48, GST_GL_TEXTURE_TARGET_2D), false);
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(offered_pool(query.get()), nullptr);
  guint size = 0;
  gst_query_parse_nth_allocation_pool(query.get(), 0, nullptr, &size, nullptr, nullptr);
  EXPECT_EQ(size, 64U * 48 * 4);
  const OwnQuery without_caps(gst_query_new_allocation(nullptr, TRUE));
  EXPECT_FALSE(gst_pad_peer_query(harness.upstream(), without_caps.get()));
}

struct Offer {
  GstBufferPool* pool = nullptr;  // owned
  guint size = 0, least = 0;
  int queries = 0;

  Offer() = default;
  ~Offer() {
    if (pool != nullptr) gst_object_unref(pool);
  }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  // Sets the answers of `harness` to the queries of the element from now on.
  void make(const ElementHarness& harness) {
    gst_pad_add_probe(
        harness.downstream(),
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH),
        [](GstPad*, GstPadProbeInfo* info, gpointer data) {
          auto* offer = static_cast<Offer*>(data);
          GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
          if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
          ++offer->queries;
          if (offer->size > 0) gst_query_add_allocation_pool(query, offer->pool, offer->size, offer->least, 0);
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
  }
};

// The element provides the number of buffers that downstream needs, with textures of its own context.
void expect_own_textures(const std::string& element, GstBufferPool* offered) {
  Offer offer;
  offer.pool = offered;
  offer.size = 64 * 48 * 4;
  offer.least = 5;
  ElementHarness harness(element);
  offer.make(harness);
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(offer.queries, 1);
  const OwnBuffer out = harness.pull();
  ASSERT_NE(out, nullptr);
  EXPECT_NE(out->pool, offered);
  ASSERT_NE(out->pool, nullptr);
  GstStructure* config = gst_buffer_pool_get_config(out->pool);
  guint least = 0;
  gst_buffer_pool_config_get_params(config, nullptr, nullptr, &least, nullptr);
  gst_structure_free(config);
  EXPECT_GE(least, offer.least);
  GstMemory* memory = gst_buffer_peek_memory(out.get(), 0);
  ASSERT_TRUE(gst_is_gl_memory(memory));
  EXPECT_EQ(GST_GL_BASE_MEMORY_CAST(memory)->context, harness.source().context());
  EXPECT_NE(gst_buffer_get_gl_sync_meta(out.get()), nullptr);
}

TEST_P(HarnessCaps, NoPoolFromDownstream) { expect_own_textures(element(), nullptr); }
TEST_P(HarnessCaps, SystemMemoryFromDownstream) { expect_own_textures(element(), gst_video_buffer_pool_new()); }
TEST_P(HarnessCaps, TexturesOfAnotherContextFromDownstream) {
  TextureSource another;
  expect_own_textures(element(), gst_gl_buffer_pool_new(another.context()));
}

// The element reallocates only if downstream requests it.
TEST_P(HarnessCaps, ReallocatesOnlyOnRequest) {
  ElementHarness harness(element());
  Offer offer;
  offer.make(harness);
  harness.begin();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(offer.queries, 1);
  harness.take_log();
  gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(offer.queries, 2);
  EXPECT_EQ(harness.take_log(), (Log{"buffer 64x48", "buffer 64x48", "buffer 64x48"})) << "caps are the same";
}

}  // namespace
}  // namespace sightglass::test
