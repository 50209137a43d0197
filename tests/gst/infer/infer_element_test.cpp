// glinfer in pipelines: every task, tensors as metadata, results, chains, state changes, and seeks.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gst/gl/gl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "gl/gl_bridge.h"
#include "harness/scratch_folder.h"
#include "red_picture.h"
#include "sightglass/gst/results_meta.h"
#include "sightglass/gst/tensor_meta.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 96;
constexpr const char* kNoModels = "no models next to the source tree";

// The element under test is always named "segment".
std::string glinfer(const std::string& properties) { return "glinfer name=segment " + properties; }
std::string shared_model(const std::string& name) {
  return "model=" + shared_directory() + "/models/" + name + ".tflite" + " ";
}

// The metadata of output buffers. Tensors are held, as an application would.
struct Carried {
  std::vector<std::vector<GstMemory*>> tensors;  // per buffer
  std::vector<std::string> names;                // of the tensors of the last buffer
  std::vector<guint> dims;
  std::vector<std::string> labels;  // of all objects and classifications
  std::vector<guint> points;        // of all objects
  int metas = 0;                    // of tensors, of the last buffer

  ~Carried() {
    for (const auto& list : tensors) {
      for (GstMemory* memory : list) gst_memory_unref(memory);
    }
  }
};

void read_tensors(GstBuffer* buffer, Carried& carried) {
  auto& list = carried.tensors.emplace_back();
  gpointer state = nullptr;
  carried.metas = 0;
  while (const SightglassTensorMeta* meta = sightglass_buffer_iterate_tensor_meta(buffer, &state)) {
    ++carried.metas;
    carried.names.clear();
    for (guint i = 0; i < meta->tensors_count; ++i) {
      const SightglassTensor& tensor = meta->tensors[i];
      list.push_back(gst_memory_ref(tensor.memory));
      carried.names.emplace_back(tensor.name);
      carried.dims.assign(tensor.dims, tensor.dims + tensor.rank);
    }
  }
}

GstPadProbeReturn look(GstPad* /*pad*/, GstPadProbeInfo* info, gpointer data) {
  auto& carried = *static_cast<Carried*>(data);
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  read_tensors(buffer, carried);
  gpointer state = nullptr;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state)) {
    for (guint i = 0; i < meta->results->objects_count; ++i) {
      const SightglassResultObject& object = meta->results->objects[i];
      carried.labels.emplace_back(object.label != nullptr ? object.label : "");
      carried.points.push_back(object.points_count);
    }
    for (guint i = 0; i < meta->results->classifications_count; ++i) {
      carried.labels.emplace_back(meta->results->classifications[i].label);
    }
  }
  return GST_PAD_PROBE_OK;
}

void look_at(TestPipeline& pipeline, Carried& carried) {
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, look, &carried, nullptr);
  gst_object_unref(pad);
}

std::vector<float> numbers(GstMemory* memory) {
  GstMapInfo info;
  EXPECT_TRUE(gst_memory_map(memory, &info, GST_MAP_READ));
  std::vector<float> values(info.size / sizeof(float));
  std::memcpy(values.data(), info.data, values.size() * sizeof(float));
  gst_memory_unmap(memory, &info);
  return values;
}

guint64 figure(TestPipeline& pipeline, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(pipeline.element(), "stats", &stats, nullptr);
  guint64 value = 0;
  EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value)) << name;
  EXPECT_STREQ(gst_structure_get_name(stats), "glinfer-stats");
  gst_structure_free(stats);
  return value;
}

// A model with a single channel is shown as a map from its minimum to its maximum.
TEST(Infer, ImagesReplaceTheFrame) {
  TestPipeline pipeline(glinfer("color-map=gray range-smoothing=0 model=" + red_model()));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  const auto shown = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(shown) << pipeline.error();
  EXPECT_GT(shown->at(8, 48)[1], 240) << "red is foreground";
  EXPECT_LT(shown->at(88, 48)[1], 15);
  g_object_set(pipeline.element(), "invert", TRUE, nullptr);
  const auto inverted = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(inverted);
  EXPECT_LT(inverted->at(8, 48)[1], 15);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "color-map", "turbo");
  const auto turbo = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(turbo);
  EXPECT_NE(turbo->at(88, 48)[0], turbo->at(88, 48)[2]) << "in colors";
  g_object_set(pipeline.element(), "draw", FALSE, nullptr);
  const auto plain = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->pixels, left_half_red(kSize, kSize).pixels);
}

// The box list of an unknown detector is not decoded as an image.
TEST(Infer, ListsAreNotPainted) {
  TestPipeline pipeline(glinfer("model=" + red_model(Head::kList)));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  const auto shown = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(shown) << pipeline.error();
  EXPECT_EQ(shown->pixels, left_half_red(kSize, kSize).pixels);
  EXPECT_NE(pipeline.warning(5).find("cannot determine the task"), std::string::npos);
}

TEST(Infer, TensorsAreAttachedAndHeld) {
  TestPipeline pipeline(glinfer("attach-tensors=true task=tensors model=" + red_model()));
  Carried carried;
  look_at(pipeline, carried);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  Rgba red(kSize, kSize), black(kSize, kSize);
  for (int32_t i = 0; i < kSize * kSize; ++i) {
    red.pixels[4 * static_cast<size_t>(i)] = 255;
    red.pixels[4 * static_cast<size_t>(i) + 3] = black.pixels[4 * static_cast<size_t>(i) + 3] = 255;
  }
  const auto first = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(first) << pipeline.error();
  EXPECT_EQ(first->pixels, left_half_red(kSize, kSize).pixels) << "the frame is untouched";
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(pipeline.pass(i % 2 == 0 ? red : black)) << pipeline.error();
  EXPECT_EQ(carried.metas, 1);
  EXPECT_EQ(carried.dims, (std::vector<guint>{1, 16, 16, 1}));
  ASSERT_EQ(carried.tensors.size(), 11u);
  // The tensors of every frame are unchanged.
  for (size_t frame = 0; frame < 11; ++frame) {
    ASSERT_EQ(carried.tensors[frame].size(), 1u);
    const std::vector<float> values = numbers(carried.tensors[frame][0]);
    ASSERT_EQ(values.size(), 256u);
    const float left = frame == 0 || frame % 2 == 1 ? 1 : 0, right = frame % 2 == 1 && frame > 0 ? 1 : 0;
    EXPECT_NEAR(values[8 * 16 + 1], left, 0.01) << "frame " << frame;
    EXPECT_NEAR(values[8 * 16 + 14], right, 0.01) << "frame " << frame;
  }
}

TEST(Infer, TensorMemoryIsReused) {
  TestPipeline pipeline(glinfer("attach-tensors=true model=" + red_model()));
  std::vector<GstMemory*> seen;  // not held
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        gpointer state = nullptr;
        auto* meta = sightglass_buffer_iterate_tensor_meta(GST_PAD_PROBE_INFO_BUFFER(info), &state);
        auto& list = *static_cast<std::vector<GstMemory*>*>(data);
        if (meta != nullptr && std::ranges::find(list, meta->tensors[0].memory) == list.end()) {
          list.push_back(meta->tensors[0].memory);
        }
        return GST_PAD_PROBE_OK;
      },
      &seen, nullptr);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  std::printf("%zu GL buffers for 30 frames\n", seen.size());
  EXPECT_LE(seen.size(), 4u);
}

// Two elements in a row: one context, one set of programs, one plan. Both attach their tensors.
TEST(Infer, ChainsShareContextProgramsAndWeights) {
  const std::string properties = "attach-tensors=true draw=false model=" + red_model();
  const auto contents = [](TestPipeline& pipeline) {
    GstGLContext* context = nullptr;
    g_object_get(pipeline.element(), "context", &context, nullptr);
    EXPECT_NE(context, nullptr);
    ShareGroup::Contents held;
    gst_gl_context_thread_add(
        context,
        [](GstGLContext* current, gpointer data) {
          const auto gl = load_gl_api(current);
          *static_cast<ShareGroup::Contents*>(data) = share_group_of(current, *gl, "")->contents();
        },
        &held);
    gst_object_unref(context);
    return held;
  };
  int alone = 0;
  {
    TestPipeline pipeline(glinfer(properties));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
    alone = contents(pipeline).programs;
  }
  TestPipeline chain("glinfer name=first " + properties + " ! " + glinfer(properties));
  Carried carried;
  look_at(chain, carried);
  ASSERT_TRUE(chain.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(chain.pass(left_half_red(kSize, kSize))) << chain.error();
  EXPECT_EQ(contents(chain).programs, alone);
  EXPECT_EQ(contents(chain).plans, 1);
  EXPECT_EQ(carried.metas, 2);
  GstElement* first = gst_bin_get_by_name(GST_BIN(chain.pipeline()), "first");
  GstGLContext *of_first = nullptr, *of_second = nullptr;
  g_object_get(first, "context", &of_first, nullptr);
  g_object_get(chain.element(), "context", &of_second, nullptr);
  EXPECT_EQ(of_first, of_second);
  for (gpointer object : {gpointer(of_first), gpointer(of_second), gpointer(first)}) gst_object_unref(object);
}

TEST(Infer, TheIntervalSkipsRuns) {
  TestPipeline pipeline(glinfer("inference-interval=3 color-map=gray attach-tensors=true model=" + red_model()));
  Carried carried;
  look_at(pipeline, carried);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(figure(pipeline, "frames"), 9u);
  EXPECT_EQ(figure(pipeline, "inferences"), 3u);
  ASSERT_EQ(carried.tensors.size(), 9u);
  EXPECT_EQ(carried.tensors[3][0], carried.tensors[5][0]) << "from the same run";
  EXPECT_NE(carried.tensors[2][0], carried.tensors[3][0]);
  ASSERT_TRUE(pipeline.flush());
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(figure(pipeline, "inferences"), 4u) << "a flush starts a new scene";
}

TEST(Infer, SurvivesStateChangesAndSeeks) {
  TestPipeline pipeline(glinfer("attach-tensors=true results=both model=" + red_model()));
  for (int cycle = 0; cycle < 20; ++cycle) {
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << cycle << pipeline.error();
    ASSERT_TRUE(pipeline.pass(left_half_red(2 * kSize, kSize))) << pipeline.error() << " other caps";
    ASSERT_TRUE(pipeline.send_segment());
    ASSERT_TRUE(pipeline.flush());
    const auto shown = pipeline.pass(left_half_red(kSize, 3 * kSize));
    ASSERT_TRUE(shown) << pipeline.error();
    EXPECT_EQ(shown->height, 3 * kSize);
    ASSERT_TRUE(pipeline.set_state(cycle % 3 == 2 ? GST_STATE_NULL : GST_STATE_READY, true));
  }
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
}

TEST(Infer, WrongFilesAreNamed) {
  const std::string text = scratch_folder() / "labels.txt", bytes = scratch_folder() / "bytes.bin";
  std::ofstream(text) << "red\n";
  std::ofstream(bytes) << "four";
  const std::string pipe = scratch_folder() / "pipe";
  mkfifo(pipe.c_str(), 0600);
  const std::pair<std::string, const char*> cases[] = {
      {"", "no model is set"},
      {"model=" + red_model() + " labels=/nowhere.txt", "labels=/nowhere.txt"},
      {"model=" + red_model() + " extra-inputs=" + bytes, "no input other than the image"},
      {"model=" + red_model() + " extra-inputs=" + pipe, "a pipe, not a regular file"},
      {"model=" + red_model() + " extra-inputs=/", "a directory, not a regular file"},
      {"model=" + red_model() + " labels=" + pipe, "a pipe, not a regular file"},
      {"model=" + pipe, "a pipe, not a regular file"},
      {"model=" + red_model() + " task=landmarks", "task=landmarks"},
      {"model=" + red_model() + " detector=" + red_model(), "only for landmark models"},
      {"model=" + red_model() + " task=detection", "TFLite_Detection_PostProcess"},
      {"model=" + red_model(Head::kGrayInput), "color image"},
      {"model=" + red_model(Head::kUnknownOp), "operator"}};
  for (const auto& [properties, expected] : cases) {
    TestPipeline pipeline(glinfer(properties));
    pipeline.set_state(GST_STATE_PLAYING);
    EXPECT_NE(pipeline.error(5).find(expected), std::string::npos) << properties << ": " << pipeline.error();
  }
}

TEST(Infer, LivePropertiesFollowTheController) {
  TestPipeline pipeline(glinfer("model=" + red_model()));
  for (const char* name : {"threshold", "iou-threshold", "line-width", "text-height", "range-smoothing"}) {
    GstControlSource* source = gst_interpolation_control_source_new();
    g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
    auto* timed = GST_TIMED_VALUE_CONTROL_SOURCE(source);
    ASSERT_TRUE(gst_timed_value_control_source_set(timed, 0, 0));
    ASSERT_TRUE(gst_timed_value_control_source_set(timed, GST_SECOND, 1));
    ASSERT_TRUE(gst_object_add_control_binding(
        GST_OBJECT(pipeline.element()), gst_direct_control_binding_new(GST_OBJECT(pipeline.element()), name, source)));
    gst_object_unref(source);
  }
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int frame = 0; frame < 10; ++frame) {
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
    gfloat threshold = 0, height = 0;
    g_object_get(pipeline.element(), "threshold", &threshold, "text-height", &height, nullptr);
    EXPECT_NEAR(threshold, static_cast<float>(frame) / 30, 1e-3);
    EXPECT_NEAR(height, 1000 * static_cast<float>(frame) / 30, 1);
  }
}

// A classifier and a detector with photographs. Results arrive with a later frame.
TEST(InferReal, ResultsReachApplications) {
  if (shared_directory().empty()) GTEST_SKIP() << kNoModels;
  struct Case {
    const char* model;
    const char* picture;
    const char* label;
    guint points;
  };
  for (const auto& [model, picture, label, points] :
       {Case{"classify_detect/mobilenet_v1_0.25_224_quant", "burger.jpg", "cheeseburger", 0},
        {"face/face_detection_short_range", "mp_portrait.jpg", "face", 6}}) {
    const Rgba frame = load_picture(shared_directory() + "/media/" + picture);
    ASSERT_GT(frame.width, 0);
    TestPipeline pipeline(glinfer(shared_model(model) + "results=both max-results=3"));
    Carried carried;
    look_at(pipeline, carried);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    std::optional<Rgba> shown;
    for (int i = 0; i < 4; ++i) shown = pipeline.pass(frame);
    ASSERT_TRUE(shown) << pipeline.error();
    ASSERT_FALSE(carried.labels.empty()) << model;
    EXPECT_EQ(carried.labels[0], label);
    if (points > 0) {
      EXPECT_EQ(carried.points[0], points);
    }
    GstBus* bus = gst_element_get_bus(pipeline.pipeline());
    int messages = 0;
    while (GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT)) {
      if (gst_message_has_name(message, "sightglass-results")) ++messages;
      gst_message_unref(message);
    }
    gst_object_unref(bus);
    EXPECT_GE(messages, 1);
    EXPECT_NE(shown->pixels, frame.pixels) << "something is drawn";
  }
}

// A small face in a large image: the landmark model samples the box from the detector.
TEST(InferReal, LandmarksFollowADetector) {
  if (shared_directory().empty()) GTEST_SKIP() << kNoModels;
  const Rgba portrait = load_picture(shared_directory() + "/media/mp_portrait.jpg");
  const std::string detector = shared_directory() + "/models/face/face_detection_short_range.tflite";
  TestPipeline pipeline(glinfer(shared_model("face/face_landmark_468_f32") + "results=meta detector=" + detector));
  std::vector<std::array<float, 2>> points;
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        gpointer state = nullptr;
        auto& list = *static_cast<std::vector<std::array<float, 2>>*>(data);
        while (const auto* meta = sightglass_buffer_iterate_results_meta(GST_PAD_PROBE_INFO_BUFFER(info), &state)) {
          list.clear();
          if (meta->results->objects_count == 0) continue;
          const SightglassResultObject& face = meta->results->objects[0];
          for (guint i = 0; i < face.points_count; ++i) list.push_back({face.points[i].x, face.points[i].y});
        }
        return GST_PAD_PROBE_OK;
      },
      &points, nullptr);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  std::optional<Rgba> shown;
  for (int i = 0; i < 4; ++i) shown = pipeline.pass(portrait);
  ASSERT_TRUE(shown) << pipeline.error();
  if (const char* folder = std::getenv("SIGHTGLASS_KEEP_PICTURES"))
    save_png(*shown, std::string(folder) + "/follow.png");
  ASSERT_EQ(points.size(), 468u);
  // The positions of the outer eye corners and the tip of the nose in this photograph.
  for (const auto& [landmark, x, y] :
       {std::tuple{33u, 0.41, 0.173}, std::tuple{263u, 0.585, 0.176}, std::tuple{1u, 0.502, 0.225}}) {
    std::printf("landmark %u: %.3f %.3f\n", landmark, points[landmark][0], points[landmark][1]);
    EXPECT_NEAR(points[landmark][0], x, 0.025);
    EXPECT_NEAR(points[landmark][1], y, 0.025);
  }
  // Without a face there is no run, and no trace of the previous face.
  const Rgba gray = picture(320, 240, [](int32_t, int32_t) { return false; });
  for (int i = 0; i < 4; ++i) shown = pipeline.pass(gray);
  ASSERT_TRUE(shown) << pipeline.error();
  EXPECT_EQ(shown->pixels, gray.pixels);
  EXPECT_TRUE(points.empty());
}

// The same face in planar YUV, stored rotated.
TEST(InferReal, FacesAreFoundInRotatedFrames) {
  if (shared_directory().empty()) GTEST_SKIP() << kNoModels;
  const Rgba upright = load_picture(shared_directory() + "/media/mp_portrait.jpg");
  Rgba stored(upright.height, upright.width);  // rotated to the left
  for (int32_t y = 0; y < upright.height; ++y) {
    for (int32_t x = 0; x < upright.width; ++x) std::memcpy(stored.at(y, upright.width - 1 - x), upright.at(x, y), 4);
  }
  TestPipeline pipeline("glcolorconvert ! video/x-raw(memory:GLMemory),format=NV12 ! " +
                        glinfer(shared_model("face/face_detection_short_range") + "video-direction=90r results=meta"));
  Carried carried;
  look_at(pipeline, carried);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  std::optional<Rgba> shown;
  for (int i = 0; i < 4; ++i) shown = pipeline.pass(stored);
  ASSERT_TRUE(shown) << pipeline.error();
  EXPECT_EQ(shown->width, upright.width);
  ASSERT_FALSE(carried.labels.empty());
  EXPECT_EQ(carried.labels[0], "face");
}

}  // namespace
}  // namespace sightglass::test
