// `model` set while frames flow: the next model is prepared in the background and takes over between two frames.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "element_harness.h"
#include "harness/scratch_folder.h"
#include "model_elements.h"
#include "red_picture.h"
#include "sightglass/gst/results_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(60);
const std::string kFigure = SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite";

void set_model(GstElement* element, const std::string& model) {
  g_object_set(element, "model", model.c_str(), nullptr);
}

std::string model_of(GstElement* element) {
  gchar* text = nullptr;
  g_object_get(element, "model", &text, nullptr);
  const std::string model = text != nullptr ? text : "";
  g_free(text);
  return model;
}

// The model in effect, according to `stats`.
std::string model_in_effect(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  const std::string model = gst_structure_get_string(stats, "model");
  gst_structure_free(stats);
  return model;
}

// A separate file with the same model.
std::string copy_of(const std::string& model, const std::string& name) {
  const std::string copy = scratch_folder() / name;
  std::filesystem::copy_file(model, copy, std::filesystem::copy_options::overwrite_existing);
  return copy;
}

// Passes frames until the model is in effect. Returns the longest frame time and the number of frames.
struct Passed {
  int frames = 0;
  double longest_ms = 0, median_ms = 0;
};
std::optional<Passed> pass_until(TestPipeline& pipeline, const std::string& model, const Rgba& frame) {
  std::vector<double> times;
  const auto end = Clock::now() + kPatience;
  while (model_in_effect(pipeline.element()) != model) {
    const auto begin = Clock::now();
    if (begin > end || !pipeline.pass(frame)) return std::nullopt;
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  if (times.empty()) return Passed();
  std::ranges::sort(times);
  return Passed{static_cast<int>(times.size()), times.back(), times[times.size() / 2]};
}

class ModelChangeOf : public EveryModelElement {
 protected:
  static std::string first() {
    return std::string(GetParam()) == "glpose" ? shaped_model({32, 32, 3, 17}) : red_model();
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, ModelChangeOf, kModelElements, name_of_element);

TEST_P(ModelChangeOf, TakesOverWhilePlaying) {
  for (const std::string properties : {"", " hud=true"}) {
    PlayingPipeline pipeline(element("name=segment" + properties));
    const Rgba frame = left_half_red(64, 64);
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    EXPECT_EQ(model_in_effect(pipeline.element()), first());
    const std::string second = copy_of(first(), "second.tflite");
    set_model(pipeline.element(), second);
    EXPECT_EQ(model_of(pipeline.element()), second);
    const auto passed = pass_until(pipeline, second, frame);
    ASSERT_TRUE(passed) << pipeline.error();
    std::printf("%s: %d frames, the longest %.1f ms, half of them %.1f ms\n", GetParam(), passed->frames,
                passed->longest_ms, passed->median_ms);
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    EXPECT_EQ(model_of(pipeline.element()), second);
    EXPECT_EQ(pipeline.warning(), "");
    EXPECT_EQ(pipeline.error(), "");
  }
}

TEST_P(ModelChangeOf, TheOldModelStaysIfTheNewOneFails) {
  PlayingPipeline pipeline(element());
  const Rgba frame = left_half_red(64, 64);
  ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  for (const std::string& wrong :
       {std::string("/nonexistent/other.tflite"), red_model(Head::kUnknownOp), std::string()}) {
    set_model(pipeline.element(), wrong);
    std::string warning;
    const auto end = Clock::now() + kPatience;
    while (warning.empty() && Clock::now() < end) {
      ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
      warning = pipeline.warning();
    }
    std::printf("%s\n", warning.c_str());
    EXPECT_NE(warning.find("model=" + wrong + ":"), std::string::npos);
    EXPECT_NE(warning.find(first() + " stays in effect"), std::string::npos);
    EXPECT_EQ(model_of(pipeline.element()), first());
    EXPECT_EQ(model_in_effect(pipeline.element()), first());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
  }
  EXPECT_EQ(pipeline.error(), "");
}

// Programs that run for months survive a `cp` over their model: it is read, not mapped.
TEST_P(ModelChangeOf, TheFileOfARunningModelMayBeOverwritten) {
  const std::string model = copy_of(first(), "running.tflite");
  PlayingPipeline pipeline(element("model=" + model));
  const Rgba frame = left_half_red(64, 64);
  const auto whole = std::filesystem::file_size(model);
  for (const auto size : {whole / 2, decltype(whole){0}, whole}) {
    std::filesystem::resize_file(model, size);  // in place; what was cut comes back as zeros
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  }
  EXPECT_EQ(pipeline.warning(), "");

  ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
  EXPECT_FALSE(pipeline.set_state(GST_STATE_PLAYING) && pipeline.pass(frame));
  const std::string error = pipeline.error();
  std::printf("%s\n", error.c_str());
  EXPECT_NE(error.find(model), std::string::npos);

  copy_of(first(), "running.tflite");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_NULL, true));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();
}

TEST_P(ModelChangeOf, TheLastModelSetWins) {
  PlayingPipeline pipeline(element());
  const Rgba frame = left_half_red(64, 64);
  ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  const std::string second = copy_of(first(), "second.tflite"), third = copy_of(first(), "third.tflite");
  for (const std::string& model : {second, std::string("/nonexistent/other.tflite"), third}) {
    set_model(pipeline.element(), model);
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  }
  ASSERT_TRUE(pass_until(pipeline, third, frame)) << pipeline.error();
  set_model(pipeline.element(), second);
  ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  set_model(pipeline.element(), third);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  EXPECT_EQ(model_in_effect(pipeline.element()), third);
  EXPECT_EQ(pipeline.warning(), "") << "about a model that is no longer set";
}

// However far the next model is when the element stops, the next start uses it.
TEST_P(ModelChangeOf, StopsAtAnyMoment) {
  const std::string second = copy_of(first(), "second.tflite");
  const Rgba frame = left_half_red(64, 64);
  for (int frames = 0; frames < 8; ++frames) {
    PlayingPipeline pipeline(element());
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    set_model(pipeline.element(), second);
    for (int i = 0; i < frames; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
    EXPECT_EQ(model_of(pipeline.element()), second);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    EXPECT_EQ(model_in_effect(pipeline.element()), second);
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  }
}

TEST_P(ModelChangeOf, SizesAndFormatsMayChangeInTheMeantime) {
  const std::string second = copy_of(first(), "second.tflite");
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  for (const std::string& model : {second, first(), second, first()}) {
    set_model(pipeline.element(), model);
    const auto end = Clock::now() + kPatience;
    for (int i = 0; model_in_effect(pipeline.element()) != model; ++i) {
      ASSERT_LT(Clock::now(), end);
      const int32_t width = i % 2 == 0 ? 96 : 64;
      const Rgba out = pipeline.shown(left_half_red(width, 64));
      ASSERT_EQ(out.width, width);
    }
    const std::vector<uint8_t> nv12(64 * 64 * 3 / 2, 128);
    ASSERT_TRUE(pipeline.pass("video/x-raw,framerate=30/1,width=64,height=64,format=NV12", nv12)) << pipeline.error();
  }
  EXPECT_EQ(pipeline.warning(), "");
}

// Everything is background for this one.
TEST(SegmentModelChange, MasksComeFromTheNewModel) {
  for (const std::string sync : {"exact", "latest"}) {
    PlayingPipeline pipeline("glsegment name=segment background=mask smoothing=0 mask-sync=" + sync +
                             " model=" + red_model());
    const Rgba frame = left_half_red(64, 64);
    const auto sides = [&] {
      const auto out = pipeline.pass(frame);
      EXPECT_TRUE(out) << pipeline.error();
      return out ? std::pair<int, int>{out->at(8, 32)[0], out->at(56, 32)[0]} : std::pair<int, int>{-1, -1};
    };
    for (int i = 0; i < 4; ++i) sides();
    EXPECT_EQ(sides(), (std::pair<int, int>{255, 0})) << sync;
    // Two logits, for the same mask from other programs; then classes of which only the background wins.
    const std::string logits = red_model(Head::kTwoSoftmax), shaped = shaped_model({32, 32, 3, 2});
    set_model(pipeline.element(), logits);
    ASSERT_TRUE(pass_until(pipeline, logits, frame)) << pipeline.error();
    for (int i = 0; i < 4; ++i) sides();
    EXPECT_EQ(sides(), (std::pair<int, int>{255, 0})) << sync;
    set_model(pipeline.element(), shaped);
    ASSERT_TRUE(pass_until(pipeline, shaped, frame)) << pipeline.error();
    for (int i = 0; i < 4; ++i) sides();
    const auto [left, right] = sides();
    EXPECT_EQ(left, right) << sync << ": the same everywhere";
    EXPECT_EQ(pipeline.warning(), "");
  }
}

TEST(InferModelChange, ImagesHaveTheSizeOfTheNewModel) {
  PlayingPipeline pipeline("glinfer name=segment output-size=model model=" + enlarging_model(8, 16));
  const Rgba frame = left_half_red(64, 64);
  const Rgba first = pipeline.shown(frame);
  EXPECT_EQ(std::pair(first.width, first.height), std::pair(32, 16));
  const std::string second = enlarging_model(12, 20);
  set_model(pipeline.element(), second);
  ASSERT_TRUE(pass_until(pipeline, second, frame)) << pipeline.error();
  const Rgba next = pipeline.shown(frame);
  EXPECT_EQ(std::pair(next.width, next.height), std::pair(40, 24));
  EXPECT_EQ(pipeline.error(), "");
}

// One result per frame, in frame order: from the first model up to some frame, and from the second model after it.
TEST(InferModelChange, LosesNoResult) {
  for (const std::string sync : {"latest", "exact"}) {
    const std::string first = copy_of(red_model(Head::kVector), "one.tflite"), second = copy_of(first, "two.tflite");
    TestPipeline pipeline("glinfer name=segment task=classification results=meta results-sync=" + sync +
                          " model=" + first);
    struct Seen {
      std::vector<uint64_t> frames;
      std::vector<std::string> models;
      void note(GstBuffer* carrier) {
        gpointer state = nullptr;
        while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(carrier, &state)) {
          frames.push_back(meta->results->frame);
          models.emplace_back(meta->results->model);
        }
      }
    } seen;
    GstPad* pad = pad_of(pipeline.element(), "src");
    gst_pad_add_probe(
        pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
        [](GstPad*, GstPadProbeInfo* info, gpointer data) {
          const bool frame = (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0;
          GstBuffer* carrier =
              frame ? GST_PAD_PROBE_INFO_BUFFER(info) : sightglass_event_get_results(GST_PAD_PROBE_INFO_EVENT(info));
          if (carrier != nullptr) static_cast<Seen*>(data)->note(carrier);
          return GST_PAD_PROBE_OK;
        },
        &seen, nullptr);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    const Rgba frame = left_half_red(64, 64);
    uint64_t pushed = 0;
    const auto end = Clock::now() + kPatience;
    uint64_t behind = 0;  // frames since the second model is in effect
    while (behind < 5 && Clock::now() < end) {
      ASSERT_TRUE(pipeline.push(frame));
      if (++pushed == 5) set_model(pipeline.element(), second);
      // With `exact`, frames wait for their results, so not every input frame has an immediate output.
      g_usleep(2000);
      if (model_in_effect(pipeline.element()) == second) ++behind;
    }
    pipeline.push_eos();
    for (uint64_t i = 0; i < pushed; ++i) ASSERT_TRUE(pipeline.pull()) << i << ": " << pipeline.error();
    EXPECT_FALSE(pipeline.pull());
    ASSERT_EQ(seen.frames.size(), pushed) << sync;
    for (uint64_t i = 0; i < pushed; ++i) EXPECT_EQ(seen.frames[i], i) << sync;
    const auto change = std::ranges::find(seen.models, "two");
    EXPECT_GE(change - seen.models.begin(), 1) << sync;
    EXPECT_GE(seen.models.end() - change, 4) << sync;
    EXPECT_EQ(std::count(change, seen.models.end(), "one"), 0) << sync;
    EXPECT_EQ(std::count(seen.models.begin(), change, "one"), change - seen.models.begin()) << sync;
  }
}

// Frames continue while a larger model is compiled.
TEST(SegmentModelChange, FramesDoNotWait) {
  PlayingPipeline pipeline("glsegment name=segment cache-dir=\"\" model=" + red_model());
  const Rgba frame = left_half_red(64, 64);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  set_model(pipeline.element(), kFigure);
  const auto passed = pass_until(pipeline, kFigure, frame);
  ASSERT_TRUE(passed) << pipeline.error();
  const auto begin = Clock::now();
  ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  const double first_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  std::printf("%d frames in the meantime: longest %.1f ms, median %.1f ms; first frame with the new model %.1f ms\n",
              passed->frames, passed->longest_ms, passed->median_ms, first_ms);
  EXPECT_GE(passed->frames, 3);
  EXPECT_EQ(pipeline.warning(), "");
}

}  // namespace
}  // namespace sightglass::test
