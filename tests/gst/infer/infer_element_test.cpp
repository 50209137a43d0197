// glinfer in pipelines: every task, tensors as metadata, results, chains, state changes, and seeks.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "gl/gl_bridge.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "red_picture.h"
#include "seen_results.h"
#include "sightglass/gst/tensor_meta.h"
#include "sightglass/model.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 96;
constexpr std::array<uint8_t, 3> kRed{255, 0, 0}, kGreen{0, 255, 0};
constexpr const char* kNoModels = "no models next to the source tree";

// The element under test is always named "segment".
std::string glinfer(const std::string& properties) { return "glinfer name=segment " + properties; }
std::string shared_model(const std::string& name) {
  return "model=" + shared_directory() + "/models/" + name + ".tflite" + " ";
}

// The tensors of output buffers, which are held, as an application would.
struct Carried {
  std::vector<std::vector<GstMemory*>> tensors;  // per buffer
  std::vector<guint> dims;                       // of the last one
  int metas = 0;                                 // of the last buffer

  explicit Carried(const TestPipeline& pipeline) {
    on_buffers(pipeline.element(), "src", [this](GstBuffer* buffer) { read(buffer); });
  }
  ~Carried() {
    for (const auto& list : tensors) {
      for (GstMemory* memory : list) gst_memory_unref(memory);
    }
  }
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;

 private:
  void read(GstBuffer* buffer) {
    auto& list = tensors.emplace_back();
    gpointer state = nullptr;
    metas = 0;
    while (const SightglassTensorMeta* meta = sightglass_buffer_iterate_tensor_meta(buffer, &state)) {
      ++metas;
      for (guint i = 0; i < meta->tensors_count; ++i) {
        const SightglassTensor& tensor = meta->tensors[i];
        list.push_back(gst_memory_ref(tensor.memory));
        dims.assign(tensor.dims, tensor.dims + tensor.rank);
      }
    }
  }
};

std::vector<float> numbers(GstMemory* memory) {
  GstMapInfo info;
  EXPECT_TRUE(gst_memory_map(memory, &info, GST_MAP_READ));
  std::vector<float> values(info.size / sizeof(float));
  std::memcpy(values.data(), info.data, values.size() * sizeof(float));
  gst_memory_unmap(memory, &info);
  return values;
}

// A model with a single channel is shown as a map from its minimum to its maximum.
TEST(Infer, ImagesReplaceTheFrame) {
  PlayingPipeline pipeline(glinfer("color-map=gray range-smoothing=0 model=" + red_model()));
  const Rgba shown = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_GT(shown.at(8, 48)[1], 240) << "red is foreground";
  EXPECT_LT(shown.at(88, 48)[1], 15);
  g_object_set(pipeline.element(), "invert", TRUE, nullptr);
  const Rgba inverted = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_LT(inverted.at(8, 48)[1], 15);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "color-map", "turbo");
  const Rgba turbo = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_NE(turbo.at(88, 48)[0], turbo.at(88, 48)[2]) << "in colors";
  g_object_set(pipeline.element(), "draw", FALSE, nullptr);
  const Rgba plain = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_EQ(plain.pixels, left_half_red(kSize, kSize).pixels);
}

// The box list of an unknown detector is not decoded as an image.
TEST(Infer, ListsAreNotPainted) {
  PlayingPipeline pipeline(glinfer("model=" + red_model(Head::kList)));
  const Rgba shown = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_EQ(shown.pixels, left_half_red(kSize, kSize).pixels);
  EXPECT_NE(pipeline.warning(5).find("cannot determine the task"), std::string::npos);
}

// All layouts of the family: the element recognizes them, suppresses one of two boxes, and reports the other.
TEST(Infer, YoloBoxesAreRecognized) {
  using Rows = YoloFile::Rows;
  for (const Rows rows : {Rows::kBoxesLast, Rows::kBoxesFirst, Rows::kObjectness, Rows::kRanked}) {
    for (const auto& [in_pixels, bytes] : {std::pair{false, false}, {true, false}, {false, true}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(rows)) + (in_pixels ? " in pixels" : bytes ? " of 8 bits" : ""));
      const std::string names = scratch_folder() / "yolo_names.txt";
      std::ofstream(names) << "tomato\nleaf\n";
      TestPipeline pipeline(glinfer("results=meta labels=" + names +
                                    " model=" + yolo_model({.rows = rows, .in_pixels = in_pixels, .bytes = bytes})));
      NewestResults seen(pipeline.element());
      ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
      for (const int32_t class_id : {0, 1}) {
        const Rgba frame = filled(kSize, kSize, class_id == 0 ? kRed : kGreen);
        std::optional<Rgba> shown;
        // Results may be those of an earlier frame.
        const std::string label = class_id == 0 ? "tomato" : "leaf";
        for (int i = 0; i < 30 && (i < 4 || seen.objects.empty() || seen.objects[0].label != label); ++i) {
          shown = pipeline.pass(frame);
        }
        ASSERT_TRUE(shown) << pipeline.error();
        EXPECT_NE(shown->pixels, frame.pixels) << "the box is drawn";
        // The heads with chosen boxes leave both.
        ASSERT_EQ(seen.objects.size(), rows == Rows::kRanked && class_id == 0 ? 2u : 1u);
        EXPECT_EQ(seen.objects[0].label, label);
        EXPECT_NEAR(seen.objects[0].confidence, kYoloScores[class_id], 0.006);
        const float* box = kYoloBoxes[class_id];
        EXPECT_NEAR(seen.objects[0].left, box[0] - box[2] / 2, 0.006);
        EXPECT_NEAR(seen.objects[0].bottom, box[1] + box[3] / 2, 0.006);
      }
    }
  }
}

// Rotated boxes of a wide frame: their sides and angles are those in its pixels, and their four sides are drawn.
TEST(Infer, RotatedBoxesAreDecoded) {
  using Rows = YoloFile::Rows;
  constexpr int32_t kWide = 160;  // the square model input shows black bars above and below
  for (const Rows rows : {Rows::kRotatedLast, Rows::kRotatedFirst, Rows::kRankedRotated}) {
    for (const auto& [in_pixels, bytes] : {std::pair{false, false}, {true, false}, {false, true}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(rows)) + (in_pixels ? " in pixels" : bytes ? " of 8 bits" : ""));
      TestPipeline pipeline(glinfer("decoder=yolo-obb results=meta line-width=1 threshold=0.3 model=" +
                                    yolo_model({.rows = rows, .in_pixels = in_pixels, .bytes = bytes})));
      NewestResults seen(pipeline.element());
      ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
      for (const size_t class_id : {0U, 1U}) {
        const Rgba frame = filled(kWide, kSize, class_id == 0 ? kRed : kGreen);
        std::optional<Rgba> shown;
        const auto is_there = [&] {
          return !seen.objects.empty() && seen.objects[0].numbered == static_cast<gint>(class_id);
        };
        for (int i = 0; i < 30 && (i < 4 || !is_there()); ++i) shown = pipeline.pass(frame);
        ASSERT_TRUE(shown) << pipeline.error();
        ASSERT_EQ(seen.objects.size(), rows == Rows::kRankedRotated && class_id == 0 ? 2U : 1U);
        const SeenObject& object = seen.objects[0];
        const float* box = kYoloBoxes[class_id];
        const double angle = class_id == 0 ? 0.5 : 2 - M_PI;  // looks the same as 2
        EXPECT_NEAR(object.rotation, angle, bytes ? 0.006 : 1e-4);
        const double width = box[2] * kWide, height = box[3] * kWide;
        const double x = box[0] * kWide, y = (box[1] - 0.5) * kWide + 0.5 * kSize;
        const double tolerance = bytes ? 1 : 0.01;
        EXPECT_NEAR((object.right - object.left) * kWide, width, tolerance);
        EXPECT_NEAR((object.bottom - object.top) * kSize, height, tolerance);
        EXPECT_NEAR((object.right + object.left) / 2 * kWide, x, tolerance);
        EXPECT_NEAR((object.bottom + object.top) / 2 * kSize, y, tolerance);
        // Points on the right and the lower side differ from the frame, those well inside do not.
        const auto differs = [&](double across, double down) {
          const double at_x = x + across * std::cos(angle) - down * std::sin(angle);
          const double at_y = y + across * std::sin(angle) + down * std::cos(angle);
          const auto column = static_cast<int32_t>(at_x), row = static_cast<int32_t>(at_y);
          if (column < 0 || row < 0 || column >= kWide || row >= kSize) return true;
          return !std::equal(frame.at(column, row), frame.at(column, row) + 3, shown->at(column, row));
        };
        if (rows == Rows::kRankedRotated) continue;  // two boxes
        for (const double share : {-0.4, 0.0, 0.4}) {
          EXPECT_TRUE(differs(width / 2, share * height)) << share;
          EXPECT_TRUE(differs(share * width, height / 2)) << share;
          EXPECT_TRUE(differs(share * width, -height / 2)) << share;
        }
        EXPECT_FALSE(differs(0.2 * width, 0.2 * height));
        EXPECT_FALSE(differs(0, 0));
      }
    }
  }
}

// Numbers are those of tracks, through another class, a gap, a flush, and the property while playing.
TEST(Infer, TracksObjects) {
  TestPipeline pipeline(glinfer("tracking=true results=meta model=" + yolo_model({})));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  uint64_t passed = 0;
  const auto ids_in = [&](const Rgba& frame) {
    const uint64_t first = passed;
    do {  // results are those of an earlier frame
      pipeline.shown(frame);
      ++passed;
    } while ((seen.count == 0 || seen.frame < first) && passed < first + 20);
    EXPECT_GE(seen.frame, first);
    std::vector<guint> ids;
    for (const SeenObject& object : seen.objects) ids.push_back(object.id);
    return ids;
  };
  const Rgba red = filled(kSize, kSize, kRed), green = filled(kSize, kSize, kGreen), black = filled(kSize, kSize, {});
  using Ids = std::vector<guint>;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ids_in(red), (Ids{1})) << i;
  EXPECT_EQ(ids_in(green), (Ids{2})) << "another class and place";
  EXPECT_EQ(ids_in(black), (Ids{}));
  EXPECT_EQ(ids_in(red), (Ids{1})) << "lost for a few frames";
  ASSERT_TRUE(pipeline.flush());
  ASSERT_TRUE(pipeline.send_segment());
  EXPECT_EQ(ids_in(red), (Ids{3})) << "a flush begins anew";
  g_object_set(pipeline.element(), "tracking", FALSE, nullptr);
  EXPECT_EQ(ids_in(red), (Ids{0}));
  g_object_set(pipeline.element(), "tracking", TRUE, nullptr);
  EXPECT_EQ(ids_in(red), (Ids{1}));
  // Drawn in the color of the track, with its number.
  const Rgba tracked = pipeline.shown(red);
  g_object_set(pipeline.element(), "tracking", FALSE, nullptr);
  EXPECT_NE(tracked.pixels, pipeline.shown(red).pixels);
  EXPECT_EQ(pipeline.warning(), "");
}

TEST(Infer, TrackingNeedsADetector) {
  PlayingPipeline pipeline(glinfer("tracking=true model=" + red_model()));
  const std::string warning = pipeline.warning(5);
  EXPECT_NE(warning.find("tracking=true: has no effect"), std::string::npos) << warning;
}

// An object has the color of its class where its mask is, and no more.
TEST(Infer, YoloMasksAreDrawn) {
  TestPipeline pipeline(glinfer("line-width=1 fit=stretch threshold=0.3 model=" + yolo_model({.coefficients = 32})));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  const Rgba frame = left_half_red(kSize, kSize);
  const std::optional<Rgba> shown = pipeline.pass(frame);
  ASSERT_TRUE(shown) << pipeline.error();
  // The box is from (0.05, 0.2) to (0.45, 0.8), and the mask covers all of it.
  EXPECT_NE(std::memcmp(shown->at(kSize / 4, kSize * 2 / 3), frame.at(kSize / 4, kSize * 2 / 3), 3), 0);
  for (const auto& [x, y] : {std::pair{kSize / 4, kSize - 4}, {kSize * 3 / 4, kSize / 2}}) {
    EXPECT_EQ(std::memcmp(shown->at(x, y), frame.at(x, y), 3), 0) << x << " " << y;
  }
}

// A model with one input channel gets the luma of BT.601.
TEST(Infer, GrayInputsGetTheLuma) {
  TestPipeline pipeline(glinfer("attach-tensors=true model=" + red_model(Head::kGrayInput)));
  Carried carried(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  constexpr std::array<uint8_t, 3> kColor{100, 150, 50};
  ASSERT_TRUE(pipeline.pass(filled(kSize, kSize, kColor))) << pipeline.error();
  ASSERT_EQ(carried.tensors.size(), 1u);
  const double luma = (0.299 * kColor[0] + 0.587 * kColor[1] + 0.114 * kColor[2]) / 255;
  for (const float value : numbers(carried.tensors[0][0])) EXPECT_NEAR(value, 1 / (1 + std::exp(18 - 40 * luma)), 1e-3);
}

// Where shapes do not decide, the property does. A warning names it.
TEST(Infer, UnrecognizedModelsAreToldNearDecoders) {
  const std::string model = "model=" + yolo_model({.rows = YoloFile::Rows::kBoxesFirst, .odd = true}) + " ";
  {
    PlayingPipeline pipeline(glinfer(model));
    const Rgba frame = filled(kSize, kSize, kRed);
    EXPECT_EQ(pipeline.shown(frame).pixels, frame.pixels);
    const std::string warning = pipeline.warning(5);
    for (const char* part : {"cannot determine the task", "1x23x6", "yolo (", "no box for every cell of 32x32",
                             "set decoder", "attach-tensors=true"}) {
      EXPECT_NE(warning.find(part), std::string::npos) << part << " is not in: " << warning;
    }
  }
  PlayingPipeline pipeline(glinfer("decoder=yolo " + model));
  const Rgba frame = filled(kSize, kSize, kRed);
  EXPECT_NE(pipeline.shown(frame).pixels, frame.pixels) << "the box is drawn, with its class number";
  TestPipeline wrong(glinfer("decoder=yolo task=landmarks " + model));
  wrong.set_state(GST_STATE_PLAYING);
  EXPECT_NE(wrong.error(5).find("decoder=yolo is for task=detection"), std::string::npos) << wrong.error();
  TestPipeline other(glinfer("decoder=yolo model=" + red_model()));
  other.set_state(GST_STATE_PLAYING);
  EXPECT_NE(other.error(5).find("no output has the shape 1 x boxes x values"), std::string::npos) << other.error();
}

// Of a plateau of equal scores, the first cell is the object.
TEST(Infer, GridsShowObjects) {
  TestPipeline pipeline(glinfer("decoder=fomo results=meta model=" + red_model(Head::kTwoSoftmax)));
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  const Rgba frame = left_half_red(kSize, kSize);
  Rgba shown = frame;
  for (int i = 0; i < 30 && seen.objects.empty(); ++i) shown = pipeline.shown(frame);
  EXPECT_NE(shown.pixels, frame.pixels);
  ASSERT_EQ(seen.objects.size(), 1u);
  EXPECT_GT(seen.objects[0].confidence, 0.9F);
  EXPECT_FLOAT_EQ(seen.objects[0].left, 0);
  EXPECT_FLOAT_EQ(seen.objects[0].right, 1.0F / 16);
  TestPipeline wrong(glinfer("decoder=fomo model=" + red_model(Head::kVector)));
  wrong.set_state(GST_STATE_PLAYING);
  EXPECT_NE(wrong.error(5).find("1 x rows x columns x scores"), std::string::npos) << wrong.error();
}

// A file next to the model says what its outputs do not show.
TEST(Infer, ModelInfoCompletesTheModel) {
  const std::string model = yolo_model({.rows = YoloFile::Rows::kBoxesFirst, .odd = true});
  const std::string notes = model + ".modelinfo", names = scratch_folder() / "noted_names.txt";
  std::ofstream(names) << "tomato\nleaf\n";
  const auto write = [&](const std::string& text) { std::ofstream(notes) << text; };
  const auto error_with = [&](const std::string& text) {
    write(text);
    TestPipeline wrong(glinfer("model=" + model));
    wrong.set_state(GST_STATE_PLAYING);
    return wrong.error(5);
  };
  write("[sightglass]\ndecoder=yolo\nlabels=noted_names.txt\n");
  {
    TestPipeline pipeline(glinfer("results=meta model=" + model));
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    for (int i = 0; i < 30 && seen.objects.empty(); ++i) pipeline.shown(filled(kSize, kSize, kRed));
    ASSERT_EQ(seen.objects.size(), 1u);
    EXPECT_EQ(seen.objects[0].label, "tomato");
    EXPECT_EQ(pipeline.warning(), "");
  }
  const std::string own = ", group [sightglass], ";
  EXPECT_NE(error_with("[sightglass]\ndecoder=yolo9").find(notes + own + "decoder=yolo9: expected one of postprocess"),
            std::string::npos);
  EXPECT_NE(error_with("[sightglass]\ntask=boxes").find(own + "task=boxes: expected auto"), std::string::npos);
  EXPECT_NE(error_with("[frame]\ndir=output").find("has no such output"), std::string::npos);
  const std::string input = value_of(Model::load(model))->inputs()[0].name;
  EXPECT_NE(error_with("[" + input + "]\ndir=input\ntype=int8").find("type=int8: in "), std::string::npos);
  EXPECT_NE(error_with("[" + input + "]\ndir=input\ndims=1,3,320,320").find("dims: in "), std::string::npos);
  EXPECT_NE(error_with("[sightglass]\nanchors=stride=8").find("stride=8: unknown key"), std::string::npos);
  // The property precedes the file.
  write("[sightglass]\ndecoder=yolo\nlabels=missing.txt\n");
  TestPipeline pipeline(glinfer("decoder=tensors labels=" + names + " model=" + model));
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  std::remove(notes.c_str());
}

// Ranges of the input: samples become numbers of [-3,1] in one channel, and of [0,2] in the others.
TEST(Infer, ModelInfoNormalizesTheInput) {
  const std::string model = red_model(Head::kVector), notes = model + ".modelinfo";
  const std::string input = value_of(Model::load(model))->inputs()[0].name;
  std::ofstream(notes) << "[" << input << "]\ndir=input\ntype=float32\ndims=1,16,16,3\nranges=-3,1;0,2\n";
  TestPipeline pipeline(glinfer("attach-tensors=true model=" + model));
  Carried carried(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  pipeline.shown(filled(kSize, kSize, {51, 102, 204}));
  std::remove(notes.c_str());
  const std::vector<float> mean = numbers(carried.tensors[0][0]);
  const float expected[] = {-3 + 4 * 0.2F, 2 * 0.4F, 2 * 0.8F};
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(mean[i], expected[i], 1e-4) << i;
}

// A detector that finds regions for landmarks has a file of its own. Its outputs alone do not show which decoder fits.
TEST(Infer, ModelInfoOfTheDetector) {
  const std::string detector = yolo_model({.rows = YoloFile::Rows::kBoxesFirst, .odd = true});
  const std::string notes = detector + ".modelinfo";
  const auto error_of = [&] {
    TestPipeline pipeline(glinfer("task=landmarks model=" + red_model(Head::kVector) + " detector=" + detector));
    return pipeline.set_state(GST_STATE_PLAYING) ? std::string() : pipeline.error(5);
  };
  std::remove(notes.c_str());
  EXPECT_NE(error_of().find("task=detection"), std::string::npos) << error_of();
  std::ofstream(notes) << "[sightglass]\ndecoder=yolo\n";
  EXPECT_EQ(error_of(), "");
  std::ofstream(notes) << "[sightglass]\ndecoder=yellow\n";
  EXPECT_NE(error_of().find(notes + ", group [sightglass], decoder=yellow: expected one of"), std::string::npos);
  std::remove(notes.c_str());
}

TEST(Infer, TensorsAreAttachedAndHeld) {
  TestPipeline pipeline(glinfer("attach-tensors=true task=tensors model=" + red_model()));
  Carried carried(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  Rgba red(kSize, kSize), black(kSize, kSize);
  for (int32_t i = 0; i < kSize * kSize; ++i) {
    red.pixels[4 * static_cast<size_t>(i)] = 255;
    red.pixels[4 * static_cast<size_t>(i) + 3] = black.pixels[4 * static_cast<size_t>(i) + 3] = 255;
  }
  const Rgba first = pipeline.shown(left_half_red(kSize, kSize));
  EXPECT_EQ(first.pixels, left_half_red(kSize, kSize).pixels) << "the frame is untouched";
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
  on_buffers(pipeline.element(), "src", [&seen](GstBuffer* buffer) {
    gpointer state = nullptr;
    auto* meta = sightglass_buffer_iterate_tensor_meta(buffer, &state);
    if (meta != nullptr && std::ranges::find(seen, meta->tensors[0].memory) == seen.end()) {
      seen.push_back(meta->tensors[0].memory);
    }
  });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  std::printf("%zu GL buffers for 30 frames\n", seen.size());
  EXPECT_LE(seen.size(), 4u);
}

// Two elements in a row have one context and one set of programs. Both attach their tensors.
TEST(Infer, ChainsShareContextProgramsAndWeights) {
  const std::string properties = "attach-tensors=true draw=false model=" + red_model();
  TestPipeline chain("glinfer name=first " + properties + " ! " + glinfer(properties));
  Carried carried(chain);
  ASSERT_TRUE(chain.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(chain.pass(left_half_red(kSize, kSize))) << chain.error();
  EXPECT_EQ(carried.metas, 2);
  GstGLContext *of_first = nullptr, *of_second = nullptr;
  g_object_get(part_of(chain.pipeline(), "first"), "context", &of_first, nullptr);
  g_object_get(chain.element(), "context", &of_second, nullptr);
  EXPECT_EQ(of_first, of_second);
  ShareGroup::Contents held;
  gst_gl_context_thread_add(
      of_first,
      [](GstGLContext* current, gpointer data) {
        const auto gl = load_gl_api(current);
        *static_cast<ShareGroup::Contents*>(data) = share_group_of(current, *gl, "")->contents();
      },
      &held);
  EXPECT_EQ(held.plans, 1);
  for (GstGLContext* context : {of_first, of_second}) gst_object_unref(context);
}

TEST(Infer, TheIntervalSkipsRuns) {
  TestPipeline pipeline(glinfer("inference-interval=3 color-map=gray attach-tensors=true model=" + red_model()));
  Carried carried(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(stat_of(pipeline.element(), "frames"), 9u);
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 3u);
  ASSERT_EQ(carried.tensors.size(), 9u);
  EXPECT_EQ(carried.tensors[3][0], carried.tensors[5][0]) << "from the same run";
  EXPECT_NE(carried.tensors[2][0], carried.tensors[3][0]);
  ASSERT_TRUE(pipeline.flush());
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 4u) << "a flush starts a new scene";
}

TEST(Infer, SurvivesStateChangesAndSeeks) {
  TestPipeline pipeline(glinfer("attach-tensors=true results=both model=" + red_model()));
  for (int cycle = 0; cycle < 20; ++cycle) {
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << cycle << pipeline.error();
    ASSERT_TRUE(pipeline.pass(left_half_red(2 * kSize, kSize))) << pipeline.error() << " other caps";
    ASSERT_TRUE(pipeline.send_segment());
    ASSERT_TRUE(pipeline.flush());
    const Rgba shown = pipeline.shown(left_half_red(kSize, 3 * kSize));
    EXPECT_EQ(shown.height, 3 * kSize);
    ASSERT_TRUE(pipeline.set_state(cycle % 3 == 2 ? GST_STATE_NULL : GST_STATE_READY, true));
  }
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
}

// Of a model that adds another image to the frame. What the file lacks is an error, and no file a warning.
TEST(Infer, OtherInputsComeFromAFile) {
  const std::string path = scratch_folder() / "image.raw", cut = scratch_folder() / "cut.raw";
  const std::vector<float> image(size_t{16} * 16 * 3, 0.25F);
  const auto write = [&](const std::string& to, size_t bytes) {
    std::ofstream(to, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(bytes));
  };
  write(path, image.size() * sizeof(float));
  write(cut, 5);
  const std::string element = "task=tensors attach-tensors=true model=" + two_input_model(3);
  for (const auto& [properties, added] : {std::pair{" extra-inputs=" + path, 0.25F}, {"", 0.0F}}) {
    TestPipeline pipeline(glinfer(element + properties));
    Carried carried(pipeline);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    ASSERT_TRUE(pipeline.pass(filled(kSize, kSize, {100, 150, 50}))) << pipeline.error();
    const std::vector<float> sum = numbers(carried.tensors.at(0).at(0));
    EXPECT_NEAR(sum.at(0), 100.0 / 255 + added, 1e-6);
    EXPECT_NEAR(sum.at(1), 150.0 / 255 + added, 1e-6);
    EXPECT_EQ(pipeline.warning().find("are zeros") != std::string::npos, added == 0) << pipeline.warning();
  }
  TestPipeline pipeline(glinfer(element + " extra-inputs=" + cut));
  pipeline.set_state(GST_STATE_PLAYING);
  EXPECT_NE(pipeline.error(5).find("has 5 bytes, but the inputs other than the image need 3072"), std::string::npos)
      << pipeline.error();
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
      {"model=" + red_model() + " signature=other", "signature 'other' not found; the file has none"},
      {"model=" + red_model() + " task=landmarks", "task=landmarks"},
      {"model=" + red_model() + " detector=" + red_model(), "only for landmark models"},
      {"model=" + red_model() + " task=detection", "TFLite_Detection_PostProcess"},
      {"model=" + shaped_model({16, 16, 2, 1}), "is not an image"},
      {"model=" + red_model(Head::kUnknownOp), "operator"}};
  for (const auto& [properties, expected] : cases) {
    TestPipeline pipeline(glinfer(properties));
    pipeline.set_state(GST_STATE_PLAYING);
    EXPECT_NE(pipeline.error(5).find(expected), std::string::npos) << properties << ": " << pipeline.error();
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
    NewestResults seen(pipeline.element());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    std::optional<Rgba> shown;
    for (int i = 0; i < 4; ++i) shown = pipeline.pass(frame);
    ASSERT_TRUE(shown) << pipeline.error();
    ASSERT_EQ(seen.objects.empty(), points == 0) << model;
    ASSERT_EQ(seen.classifications.empty(), points > 0) << model;
    EXPECT_EQ(points > 0 ? seen.objects[0].label : seen.classifications[0], label);
    EXPECT_EQ(points > 0 ? seen.objects[0].points.size() : 0, points);
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
  NewestResults seen(pipeline.element());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  std::optional<Rgba> shown;
  for (int i = 0; i < 4; ++i) shown = pipeline.pass(stored);
  ASSERT_TRUE(shown) << pipeline.error();
  EXPECT_EQ(shown->width, upright.width);
  ASSERT_FALSE(seen.objects.empty());
  EXPECT_EQ(seen.objects[0].label, "face");
}

}  // namespace
}  // namespace sightglass::test
