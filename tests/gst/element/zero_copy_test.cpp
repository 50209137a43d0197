// No pixel moves between CPU and GPU from the sink pad to the source pad of glsegment, and nothing waits for the GPU.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "harness/scratch_folder.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "transfer_counter.h"

namespace sightglass::test {
namespace {

void install_transfer_counter_once() {
  static const bool installed = [] {
    init_gstreamer();
    install_transfer_counter();
    return true;
  }();
  (void)installed;
}

constexpr int kFramesOfTrainedModels = 20;  // these take tens of milliseconds each

// Runs frames and counts from the sink pad of `first` to the source pad of `last`.
std::map<std::string, int> count_transfers(const std::string& middle, const char* first, const char* last,
                                           int frames = 100, int first_frames = 2) {
  install_transfer_counter_once();
  TestPipeline pipeline(middle);
  GstElement* enter = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), first);
  GstElement* leave = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), last);
  GstPad* enter_pad = gst_element_get_static_pad(enter, "sink");
  GstPad* leave_pad = gst_element_get_static_pad(leave, "src");
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  Rgba frame(160, 120);
  // The first frame allocates pools and textures. The frame interval is known from the second frame on.
  for (int i = 0; i < first_frames; ++i) EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();
  count_between(enter_pad, leave_pad);
  reset_transfer_counts();
  for (int i = 0; i < frames; ++i) {
    frame.at(i, i)[0] = 255;
    EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();
  }
  auto counts = transfer_counts();
  for (const auto& [name, number] : counts) std::printf("%s: %d\n", name.c_str(), number);
  for (GstPad* pad : {enter_pad, leave_pad}) gst_object_unref(pad);
  for (GstElement* element : {enter, leave}) gst_object_unref(element);
  return counts;
}

using Counts = std::map<std::string, int>;

// glupload leaves the upload to the first reader of the texture, here gleffects_identity.
TEST(ZeroCopy, HundredFramesWithoutATransfer) {
  const std::string png = scratch_folder() / "background.png";
  ASSERT_TRUE(save_png(Rgba(8, 8), png));
  const std::string segment = "gleffects_identity ! glsegment name=segment ", model = "model=" + red_model() + " ";
  std::vector<std::string> pipelines;
  for (const std::string background : {"blur", "color", "image", "transparent", "mask"}) {
    pipelines.push_back(segment + model + "background-location=" + png + " background=" + background);
  }
  // Masks that are smoothed and refined, attached, or drawn after each frame; edges that are feathered, moved, and lit.
  for (const char* look :
       {"smoothing=0.5 refine=bilateral", "smoothing=0.5 refine=guided", "background=color feather=8 light-wrap=0.5",
        "background=transparent feather=-8 edge-offset=2", "attach-mask=true", "region=person", "people=main",
        "framing=person attach-mask=true", "low-light=1", "background=transparent low-light=0.5 feather=4"}) {
    pipelines.push_back(segment + model + look);
  }
  pipelines.push_back(segment + model + "background=image match-colors=1 low-light=1 background-location=" + png);
  pipelines.push_back(segment + "background=overlay model=" + red_model(Head::kFourClasses));
  pipelines.push_back(segment + "model=" + yolo_model({.coefficients = 32}));
  // With masks for other elements.
  pipelines.push_back(segment + model + "segment.mask ! queue ! fakesink async=false segment.src ! queue");
  // With a camera that follows masks.
  pipelines.push_back("gleffects_identity ! glsegment attach-mask=true " + model + "! glframe name=segment");
  // With a second video as background.
  pipelines.push_back("gleffects_identity ! glsegmentbin name=bin light-wrap=0.5 " + model +
                      "gltestsrc pattern=checkers-8 ! video/x-raw(memory:GLMemory),width=200,height=100 ! "
                      "bin.background bin.src ! video/x-raw(memory:GLMemory)");
  // Planes are sampled directly, without a conversion or an upload.
  for (const std::string format : {"NV12", "I420"}) {
    pipelines.push_back("glcolorconvert ! video/x-raw(memory:GLMemory),format=" + format +
                        " ! glsegment name=segment " + model);
  }
  // The decoders, drawing, and tensors of glinfer stay on the GPU too.
  for (const std::string& properties :
       {"task=tensors " + model, "attach-tensors=true " + model,
        "task=classification threshold=0 model=" + red_model(Head::kVector), "threshold=0 model=" + yolo_model({}),
        "tracking=true threshold=0 model=" + yolo_model({.coefficients = 32}),
        "attach-mask=true threshold=0 model=" + yolo_model({.coefficients = 32}),
        "threshold=0 model=" + yolo_model({.rows = YoloFile::Rows::kObjectness}),
        "decoder=yolo-obb threshold=0 model=" + yolo_model({.rows = YoloFile::Rows::kRotatedLast})}) {
    pipelines.push_back("gleffects_identity ! glinfer name=segment " + properties);
  }
  for (const std::string& pipeline : pipelines) {
    EXPECT_EQ(count_transfers(pipeline, "segment", "segment"), (Counts{{"frames", 100}})) << pipeline;
  }
}

// With a budget of one step per frame, a run takes two frames. Smoothing, and its parameters, begin with the second
// mask.
TEST(ZeroCopy, RunsOfSeveralFrames) {
  const std::string pipeline =
      "gleffects_identity ! glsegment name=segment mask-sync=latest gpu-budget=1 model=" + red_model();
  EXPECT_EQ(count_transfers(pipeline, "segment", "segment", 100, 4), (Counts{{"frames", 100}}));
}

// A detector, tracks, and a model on each object.
TEST(ZeroCopy, ModelsOnObjects) {
  for (const int32_t batch : {1, 2}) {
    const std::string pipeline =
        "gleffects_identity ! glinfer name=first draw=false tracking=true threshold=0 model=" + yolo_model({}) +
        " ! glinfer name=last regions=upstream threshold=0 region-interval=3 "
        "model=" +
        red_model(Head::kVector, batch) + " ! glinfer name=segment task=tensors model=" + red_model();
    EXPECT_EQ(count_transfers(pipeline, "first", "last"), (Counts{{"frames", 100}})) << "batch " << batch;
  }
}

// The third frame is the first one that is not forced, with the first of two flags. That takes 32 bytes.
TEST(ZeroCopy, StillFrames) {
  auto counts = count_transfers("gleffects_identity ! glsegment name=segment skip-static=true model=" + red_model(),
                                "segment", "segment");
  if (counts["glBufferSubData"] <= 1) counts.erase("glBufferSubData");
  EXPECT_EQ(counts, (Counts{{"frames", 100}}));
}

// With textures, the uploads and downloads of glsegmentbin are pass-through.
TEST(ZeroCopy, Bin) {
  auto counts = count_transfers(
      "gleffects_identity ! glsegmentbin name=bin model=" + red_model() + " ! video/x-raw(memory:GLMemory)", "bin",
      "bin");
  counts.erase("glClientWaitSync");  // GStreamer's own elements wait for a fence from 1.26 on; glsegment does not
  EXPECT_EQ(counts, (Counts{{"frames", 100}}));
}

// The letters of the HUD are not pixels, and are written at most four times per second.
TEST(ZeroCopyHud, HundredFramesWithoutAPixel) {
  const auto counts = count_transfers("gleffects_identity ! glsegment name=segment hud=true model=" + red_model(),
                                      "segment", "segment");
  for (const auto& [name, number] : counts) {
    EXPECT_TRUE(name == "frames" || name == "glBufferData") << name << ": " << number;
  }
}

// The same for poses: the GPU decides whether models run.
TEST(ZeroCopyPose, TwentyFramesWithoutATransfer) {
  std::vector<std::string> models{"figure", yolo_model({.points = 17})};
  if (const std::string shared = shared_directory(); !shared.empty()) {
    models.push_back(shared + "/models/pose/movenet_singlepose_lightning_int8_v4.tflite");
    models.push_back(shared + "/models/pose/blazepose_landmark_lite.tflite");
  }
  for (const std::string& model : models) {
    const auto counts = count_transfers("gleffects_identity ! glpose name=segment model=" + model, "segment", "segment",
                                        kFramesOfTrainedModels);
    EXPECT_EQ(counts, (Counts{{"frames", kFramesOfTrainedModels}})) << model;
  }
}

// The same if one element uses the mask of another.
TEST(ZeroCopyPose, MasksFromElementToElement) {
  if (shared_directory().empty()) GTEST_SKIP() << "needs the real models of ../shared";
  const auto counts =
      count_transfers("gleffects_identity ! glpose name=pose attach-mask=true model=" + shared_directory() +
                          "/models/pose/blazepose_landmark_lite.tflite ! "
                          "glsegment name=segment mask-source=meta",
                      "pose", "segment", kFramesOfTrainedModels);
  EXPECT_EQ(counts, (Counts{{"frames", kFramesOfTrainedModels}}));
}

TEST(ZeroCopyInfer, TwentyFramesOfTrainedModelsWithoutATransfer) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the real models of ../shared";
  const std::string detector = shared + "/models/face/face_detection_short_range.tflite";
  const std::string landmarks = "threshold=0 model=" + shared + "/models/face/face_landmark_468_f32.tflite";
  for (const std::string& model :
       {"model=" + detector, landmarks, landmarks + " detector=" + detector,
        "threshold=0 model=" + shared + "/models/classify_detect/mobilenet_v1_0.25_224_float.tflite",
        "threshold=0 model=" + shared + "/second/models/face_landmarker.task"}) {
    const auto counts = count_transfers("gleffects_identity ! glinfer name=segment " + model, "segment", "segment",
                                        kFramesOfTrainedModels);
    EXPECT_EQ(counts, (Counts{{"frames", kFramesOfTrainedModels}})) << model;
  }
}

GstPadProbeReturn finish_gpu(GstPad* /*pad*/, GstPadProbeInfo* /*info*/, gpointer element) {
  GstGLContext* context = nullptr;
  g_object_get(element, "context", &context, nullptr);
  if (context == nullptr) return GST_PAD_PROBE_OK;
  gst_gl_context_thread_add(
      context, [](GstGLContext* current, gpointer) { current->gl_vtable->Finish(); }, nullptr);
  gst_object_unref(context);
  return GST_PAD_PROBE_OK;
}

// The same if frames are held for their results: the frames wait, but the CPU does not. Each result is mapped once.
// With a camera, the GPU has finished a frame when the next one arrives. Here the test makes it finish.
TEST(ZeroCopyExactResults, HundredFramesWithoutAWait) {
  for (const std::string sync : {"latest", "exact"}) {
    install_transfer_counter_once();
    TestPipeline pipeline("gleffects_identity ! glinfer name=segment task=classification results=meta results-sync=" +
                          sync + " model=" + red_model(Head::kVector));
    GstPad* enter = gst_element_get_static_pad(pipeline.element(), "sink");
    GstPad* leave = gst_element_get_static_pad(pipeline.element(), "src");
    gst_pad_add_probe(enter, GST_PAD_PROBE_TYPE_BUFFER, finish_gpu, pipeline.element(), nullptr);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    const Rgba frame(320, 240);
    // With exact results, one frame is always held.
    for (int i = 0; i < (sync == "exact" ? 3 : 2); ++i) ASSERT_TRUE(pipeline.push(frame));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(pipeline.pull()) << pipeline.error();
    count_between(enter, leave);
    reset_transfer_counts();
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pipeline.push(frame));
      ASSERT_TRUE(pipeline.pull()) << i << ": " << pipeline.error();
    }
    const auto counts = transfer_counts();
    for (const auto& [name, number] : counts) std::printf("%s: %d\n", name.c_str(), number);
    EXPECT_EQ(counts, (Counts{{"frames", 100}, {"glMapBufferRange", 100}})) << sync;
    for (GstPad* pad : {enter, leave}) gst_object_unref(pad);
  }
}

// The counters detect uploads and downloads.
TEST(ZeroCopyControl, UploadAndDownloadAreCounted) {
  const auto counts =
      count_transfers("glsegment name=segment model=" + red_model() +
                          " ! gldownload ! videoconvert ! video/x-raw,format=I420 ! glupload ! glcolorconvert name=up",
                      "segment", "up");
  const auto number = [&](const char* name) { return counts.contains(name) ? counts.at(name) : 0; };
  EXPECT_EQ(number("frames"), 100);
  EXPECT_GE(number("CPU map of GL memory"), 100);
  EXPECT_GE(number("glReadPixels") + number("glGetTexImage"), 100);
  EXPECT_GE(number("glTexSubImage2D"), 100);
}

}  // namespace
}  // namespace sightglass::test
