// Many streams in one process share one model, one plan, and one set of programs and weights.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "element/shared_model.h"
#include "gl/gl_bridge.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr size_t kStreams = 10;

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

GstGLContext* context_of(const TestPipeline& pipeline) {
  GstGLContext* context = nullptr;
  g_object_get(pipeline.element(), "context", &context, nullptr);
  return context;
}

// The contents of the share group of a context; empty if no element holds the group.
ShareGroup::Contents contents_of(GstGLContext* context) {
  ShareGroup::Contents contents;
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        const auto gl = load_gl_api(current);
        ASSERT_TRUE(gl.ok()) << gl.status().message();
        *static_cast<ShareGroup::Contents*>(data) = share_group_of(current, *gl, "")->contents();
      },
      &contents);
  return contents;
}

bool has_program_binaries(GstGLContext* context) {
  GLint formats = 0;
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        const auto gl = load_gl_api(current);
        ASSERT_TRUE(gl.ok()) << gl.status().message();
        gl->GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, static_cast<GLint*>(data));
      },
      &formats);
  return formats > 0;
}

// Pipelines on one display, as in an application that sets its display on all of them.
class Streams {
 public:
  Streams() {
    init_gstreamer();
    display_ = gst_gl_display_new();
  }
  ~Streams() { gst_object_unref(display_); }

  std::unique_ptr<TestPipeline> add(const std::string& properties) {
    auto pipeline = std::make_unique<TestPipeline>("glsegment name=segment " + properties);
    GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display_);
    gst_element_set_context(pipeline->pipeline(), context);
    gst_context_unref(context);
    EXPECT_TRUE(pipeline->set_state(GST_STATE_PLAYING)) << pipeline->error();
    return pipeline;
  }

 private:
  GstGLDisplay* display_ = nullptr;
};

Rgba gradient(int32_t width, int32_t height) {
  Rgba frame(width, height);
  for (size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(i / 64);
  return frame;
}

std::vector<uint8_t> pass(TestPipeline& pipeline, const Rgba& frame) {
  const auto out = pipeline.pass(frame);
  EXPECT_TRUE(out) << pipeline.error();
  return out ? out->pixels : std::vector<uint8_t>();
}

// Ten streams of `model`, which end in another order.
void ten_streams(const std::string& model) {
  Streams streams;
  const Rgba frame = gradient(160, 120);
  std::vector<std::unique_ptr<TestPipeline>> pipelines;
  std::vector<double> start_ms;
  double first_mib = 0;
  const double before = resident_mib();
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < kStreams; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    // Smoothing would make later frames differ from the first one.
    pipelines.push_back(streams.add("smoothing=0 model=" + model));
    const std::vector<uint8_t> out = pass(*pipelines.back(), frame);
    start_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    if (i == 0) {
      first_mib = resident_mib();
      expected = out;
    }
    EXPECT_EQ(out, expected) << "stream " << i;
  }
  double others = 0;
  for (size_t i = 1; i < kStreams; ++i) others += start_ms[i] / (kStreams - 1);
  GstGLContext* context = context_of(*pipelines[0]);
  const ShareGroup::Contents contents = contents_of(context);
  std::printf("start to first frame: first stream %.0f ms, each other %.0f ms\n", start_ms[0], others);
  std::printf("resident: first stream %.1f MiB, each other %.1f MiB; weights %.1f KiB in %d plan, %d programs\n",
              first_mib - before, (resident_mib() - first_mib) / (kStreams - 1),
              static_cast<double>(contents.weight_bytes) / 1024, contents.plans, contents.programs);
  EXPECT_EQ(contents.plans, 1);
  EXPECT_GT(contents.weight_bytes, 0);

  for (const size_t end : {0, 9, 4, 5, 1}) {
    pipelines[end].reset();
    for (const auto& pipeline : pipelines) {
      if (pipeline == nullptr) continue;
      EXPECT_EQ(pass(*pipeline, frame), expected) << "after the end of stream " << end;
    }
    EXPECT_EQ(contents_of(context).programs, contents.programs);
  }
  pipelines.clear();
  EXPECT_EQ(contents_of(context).programs, 0) << "no element holds them";
  EXPECT_EQ(contents_of(context).plans, 0);
  gst_object_unref(context);
}

TEST(Sharing, TenStreams) { ten_streams(red_model()); }

TEST(Sharing, TenStreamsOfARealModel) { ten_streams("figure"); }

// The settings of one element do not affect another one.
TEST(Sharing, EachStreamHasItsOwnLook) {
  Streams streams;
  const Rgba frame = gradient(64, 48);
  const char* const looks[] = {"background=blur blur-radius=4",
                               "background=blur blur-radius=40",
                               "background=blur bokeh=disc",
                               "background=mask",
                               "background=color background-color=0xff123456",
                               "background=transparent threshold=0.9"};
  std::vector<std::vector<uint8_t>> expected;
  std::vector<std::unique_ptr<TestPipeline>> pipelines;
  for (const char* look : looks) {
    auto alone = streams.add(std::string(look) + " model=" + red_model());
    expected.push_back(pass(*alone, frame));
  }
  for (const char* look : looks) pipelines.push_back(streams.add(std::string(look) + " model=" + red_model()));
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < pipelines.size(); ++i) {
      EXPECT_EQ(pass(*pipelines[i], frame), expected[i]) << looks[i] << ", round " << round;
    }
  }
}

std::shared_ptr<ShareGroup> group_of(GstGLContext* context) {
  std::shared_ptr<ShareGroup> group;
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        const auto gl = load_gl_api(current);
        ASSERT_TRUE(gl.ok()) << gl.status().message();
        *static_cast<std::shared_ptr<ShareGroup>*>(data) = share_group_of(current, *gl, "");
      },
      &group);
  return group;
}

// A group belongs to all contexts that share objects, and outlives each of them.
TEST(Sharing, OneGroupForContextsThatShare) {
  init_gstreamer();
  GstGLDisplay* display = gst_gl_display_new();
  const auto create = [display](GstGLContext* shared) {
    GstGLContext* context = nullptr;
    EXPECT_TRUE(gst_gl_display_create_context(display, shared, &context, nullptr));
    return context;
  };
  GstGLContext* first = create(nullptr);
  GstGLContext* second = create(first);
  GstGLContext* alone = create(nullptr);
  std::shared_ptr<ShareGroup> group = group_of(first);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group_of(first), group);
  EXPECT_EQ(group_of(second), group);
  EXPECT_NE(group_of(alone), group);
  gst_object_unref(first);
  EXPECT_EQ(group_of(second), group);
  GstGLContext* third = create(second);
  EXPECT_EQ(group_of(third), group);
  const std::weak_ptr<ShareGroup> watch = group;
  group.reset();
  EXPECT_TRUE(watch.expired()) << "no element holds it";
  EXPECT_NE(group_of(second), nullptr) << "and a new group is created";
  for (GstGLContext* context : {second, third, alone}) gst_object_unref(context);
  gst_object_unref(display);
}

TEST(Sharing, CacheDirIsWhereProgramsAreKept) {
  namespace fs = std::filesystem;
  const fs::path folder = scratch_folder() / "cache-dir";
  const Rgba frame = gradient(64, 48);
  std::vector<uint8_t> expected;
  for (const std::string& value : {folder.string(), folder.string(), std::string(), std::string("/proc/none")}) {
    // Each has its own display: elements that share GL objects use the directory of the first one.
    auto pipeline = Streams().add("cache-dir=\"" + value + "\" model=" + red_model());
    const std::vector<uint8_t> out = pass(*pipeline, frame);
    if (expected.empty()) expected = out;
    EXPECT_EQ(out, expected) << value;
    gchar* set = nullptr;
    g_object_get(pipeline->element(), "cache-dir", &set, nullptr);
    EXPECT_EQ(std::string(set), value);
    g_free(set);
    GstGLContext* context = context_of(*pipeline);
    EXPECT_EQ(fs::exists(folder / "programs"), has_program_binaries(context)) << value;
    gst_object_unref(context);
  }
  fs::remove_all(folder);
}

TEST(Sharing, ACacheDirThatOthersMayWriteToIsNotUsed) {
  namespace fs = std::filesystem;
  const fs::path folder = scratch_folder() / "shared-dir";
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::all);
  auto pipeline = Streams().add("tuning=on cache-dir=\"" + folder.string() + "\" model=" + red_model());
  EXPECT_FALSE(pass(*pipeline, gradient(64, 48)).empty());
  const std::string warning = pipeline->warning(5);
  expect_words(warning, {folder.string(), "chmod go-w"});
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(Sharing, TuningIsKeptAndChangesNoPixel) {
  namespace fs = std::filesystem;
  const fs::path folder = scratch_folder() / "tuning-dir";
  const Rgba frame = gradient(64, 48);
  const auto files = [&folder] {
    int count = 0;
    if (!fs::exists(folder)) return count;
    for (const auto& entry : fs::directory_iterator(folder)) {
      count += entry.path().filename().string().starts_with("tuning-") ? 1 : 0;
    }
    return count;
  };
  std::vector<uint8_t> expected;
  bool tuned = false;
  for (const char* mode : {"off", "cached", "on", "cached"}) {
    auto pipeline = Streams().add("cache-dir=\"" + folder.string() + "\" tuning=" + mode + " model=" + red_model());
    const std::vector<uint8_t> out = pass(*pipeline, frame);
    if (expected.empty()) expected = out;
    EXPECT_EQ(out, expected) << mode;
    tuned = tuned || mode == std::string("on");
    EXPECT_EQ(files(), tuned ? 1 : 0) << mode;
  }
  fs::remove_all(folder);
}

// Without a cache directory, the choices exist only in the process.
TEST(Sharing, StreamsOfAModelAreTunedOnce) {
  std::atomic<int> measured = 0;
  const GstLogFunction count = [](GstDebugCategory*, GstDebugLevel, const gchar*, const gchar*, gint, GObject*,
                                  GstDebugMessage* message, gpointer data) {
    const std::string_view text = gst_debug_message_get(message);
    if (text.find("sets of variants measured") != text.npos) ++*static_cast<std::atomic<int>*>(data);
  };
  Streams streams;
  gst_debug_set_threshold_for_name("sightglass-engine", GST_LEVEL_INFO);
  gst_debug_add_log_function(count, &measured, nullptr);
  const std::string model = red_model();
  const auto add = [&](const std::string& folder) {
    return streams.add("tuning=on cache-dir=\"" + folder + "\" model=" + model);
  };
  const auto first = add(""), second = add("");
  EXPECT_EQ(pass(*first, gradient(64, 48)), pass(*second, gradient(64, 48)));
  EXPECT_EQ(measured, 1);
  // A directory still gets its results.
  namespace fs = std::filesystem;
  const fs::path folder = scratch_folder() / "tuned-later";
  const auto third = add(folder.string());
  EXPECT_FALSE(pass(*third, gradient(64, 48)).empty());
  EXPECT_TRUE(std::ranges::any_of(fs::directory_iterator(folder), [](const auto& entry) {
    return entry.path().filename().string().starts_with("tuning-");
  }));
  fs::remove_all(folder);
  gst_debug_remove_log_function(count);
  gst_debug_unset_threshold_for_name("sightglass-engine");
}

TEST(SharedModel, SameFileAndOptionsAreOneModel) {
  const std::string path = red_model();
  const auto first = SharedModel::load(path, {}), second = SharedModel::load(path, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  const auto other = value_of(SharedModel::load(path, {.quantized_models = QuantizedModels::kRefused}));
  EXPECT_NE(*first, other);

  const auto plan = value_of((*first)->plan(DeviceLimits(), {}));
  EXPECT_EQ(*(*second)->plan(DeviceLimits(), {}), plan);
  EXPECT_NE(*(*first)->plan(DeviceLimits::typical(), {}), plan);
  PlanOptions half;
  half.precision = Precision::kFp16;
  EXPECT_NE(*(*first)->plan(DeviceLimits(), half), plan);

  const auto tuned_by = [](const char* variant) {
    auto tuning = std::make_shared<Tuning>();
    if (variant != nullptr) tuning->choose("a step", variant);
    PlanOptions options;
    options.tuning = std::move(tuning);
    return options;
  };
  EXPECT_EQ(*(*first)->plan(DeviceLimits(), tuned_by(nullptr)), plan) << "no choice equals no tuning";
  const auto tuned = value_of((*first)->plan(DeviceLimits(), tuned_by("fast")));
  EXPECT_NE(tuned, plan);
  EXPECT_EQ(*(*first)->plan(DeviceLimits(), tuned_by("fast")), tuned);
}

// A file that is replaced under its name is another model.
TEST(SharedModel, AChangedFileIsAnotherModel) {
  namespace fs = std::filesystem;
  const fs::path path = scratch_folder() / "shared.tflite";
  fs::copy_file(red_model(), path, fs::copy_options::overwrite_existing);
  const auto first = value_of(SharedModel::load(path, {}));
  fs::copy_file(red_model(Head::kTwoSoftmax), path, fs::copy_options::overwrite_existing);
  const auto second = value_of(SharedModel::load(path, {}));
  EXPECT_NE(first, second);
  fs::remove(path);
  EXPECT_FALSE(SharedModel::load(path, {}).ok()) << "a deleted file is not found, although others hold the model";
}

}  // namespace
}  // namespace sightglass::test
