// Elements on the fake driver when it loses the context, or has no memory: an error names that, or a warning does and
// the frame is hidden. No crash, no wait without end, and no wrong picture without a message.
#include <dlfcn.h>
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gl/gl_bridge.h"
#include "gl_pictures.h"
#include "sightglass/gl_api.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int kSize = 64;

// Asks the driver that this process runs on.
int ask_driver(const char* function) {
  void* const driver = dlopen(SIGHTGLASS_FAKE_DRIVER_FILE, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = driver != nullptr ? dlsym(driver, function) : nullptr;
  EXPECT_NE(found, nullptr) << "these tests run on the fake driver";
  if (driver != nullptr) dlclose(driver);
  return found != nullptr ? reinterpret_cast<int (*)()>(found)() : 0;
}

// Whether the fault that was requested of the driver has happened.
bool fault_happened() { return ask_driver("sightglass_fake_faults") > 0; }

struct Fault {
  const char* setting;
  const char* name;  // in messages
};
constexpr Fault kLost{"lost-at=", "GL_CONTEXT_LOST"}, kNoMemory{"no-memory-at=", "GL_OUT_OF_MEMORY"};

struct Outcome {
  std::vector<std::vector<uint8_t>> frames;
  std::string error, warnings;
  bool ended = false;
  int allocations = 0;  // before the property of Launched is set
  std::string said() const { return error + warnings; }
};

std::string text_of(GstMessage* message, void (*parse)(GstMessage*, GError**, gchar**)) {
  GError* error = nullptr;
  parse(message, &error, nullptr);
  std::string text = std::string(GST_MESSAGE_SRC_NAME(message)) + ": " + error->message + "\n";
  g_error_free(error);
  return text;
}

// Reads a frame without GStreamer: its gldownload crashes if the context is lost, or if it has no memory itself.
struct Reading {
  GstGLMemory* memory;
  std::vector<uint8_t> pixels;
};
void read(GstGLContext* context, gpointer data) {
  auto& reading = *static_cast<Reading*>(data);
  const Result<GlApi> gl = load_gl_api(context);
  ASSERT_TRUE(gl.ok()) << gl.status().message();
  reading.pixels = download(*gl, reading.memory->tex_id, kSize, kSize).pixels;
}
std::vector<uint8_t> pixels_of(GstSample* sample) {
  GstMemory* const memory = gst_buffer_peek_memory(gst_sample_get_buffer(sample), 0);
  Reading reading{reinterpret_cast<GstGLMemory*>(memory), {}};
  gst_gl_context_thread_add(reading.memory->mem.context, read, &reading);
  return reading.pixels;
}

// An element with its properties, and one that is set after the first frame.
struct Launched {
  std::string text, property, value;
};

struct Later {
  GstElement* element;
  const Launched* launched;
  Outcome* outcome;
};

GstPadProbeReturn set_later(GstPad*, GstPadProbeInfo*, gpointer data) {
  const auto& [element, launched, outcome] = *static_cast<Later*>(data);
  outcome->allocations = ask_driver("sightglass_fake_allocations");
  gst_util_set_object_arg(G_OBJECT(element), launched->property.c_str(), launched->value.c_str());
  return GST_PAD_PROBE_REMOVE;
}

// Plays until the end or the first error.
Outcome play(const Launched& launched, const std::string& driver) {
  setenv("SIGHTGLASS_FAKE_DRIVER", driver.c_str(), 1);
  const std::string size = std::to_string(kSize);
  const std::string line = "glfiguresrc num-buffers=3 ! video/x-raw(memory:GLMemory),width=" + size +
                           ",height=" + size + " ! " + launched.text +
                           " name=element ! appsink name=sink sync=false wait-on-eos=false";
  GstElement* const pipeline = gst_parse_launch(line.c_str(), nullptr);
  GstElement* const sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  Outcome outcome;
  Later later{gst_bin_get_by_name(GST_BIN(pipeline), "element"), &launched, &outcome};
  if (!launched.property.empty()) {
    GstPad* const pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, set_later, &later, nullptr);
    gst_object_unref(pad);
  }
  GstBus* const bus = gst_element_get_bus(pipeline);
  constexpr auto kTypes = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (!outcome.ended && outcome.error.empty()) {
    GstMessage* const message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, kTypes);
    if (message == nullptr) break;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) outcome.ended = true;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
      outcome.warnings += text_of(message, gst_message_parse_warning);
    }
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) outcome.error = text_of(message, gst_message_parse_error);
    gst_message_unref(message);
  }
  while (GstSample* const sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 0)) {
    outcome.frames.push_back(pixels_of(sample));
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(later.element);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return outcome;
}

enum class Frames { kSame, kVary };

// Where the fault happens next: everywhere if that is asked for, or the first ones, then fewer and fewer.
int next_after(int nth, bool everywhere) { return nth + 1 + (everywhere ? 0 : nth / 3); }

// Returns what the element has said in all runs. If its frames vary, such as with a frame rate, they are not compared.
std::string expect_messages(const Launched& launched, const Fault& fault, Frames frames = Frames::kSame) {
  init_gstreamer();
  const Outcome usual = play(launched, "");
  EXPECT_TRUE(usual.ended && usual.warnings.empty()) << usual.said();
  std::string all;
  int errors = 0, warnings = 0, unharmed = 0;
  const bool in_mid_stream = !launched.property.empty();
  const bool everywhere = in_mid_stream || std::getenv("SIGHTGLASS_EVERY_FAULT") != nullptr;
  constexpr int kVarying = 2;  // textures that the source allocates sooner or later
  for (int nth = std::max(usual.allocations + 1 - kVarying, 1);; nth = next_after(nth, everywhere)) {
    const std::string driver = fault.setting + std::to_string(nth);
    const Outcome outcome = play(launched, driver);
    SCOPED_TRACE(driver + ": " + std::to_string(outcome.frames.size()) + " frames; " + outcome.said());
    EXPECT_TRUE(outcome.ended || !outcome.error.empty()) << "neither an end nor an error";
    if (!fault_happened()) {
      EXPECT_EQ(outcome.said(), "");
      break;
    }
    const bool named = outcome.said().find(fault.name) != std::string::npos;
    if (!outcome.said().empty()) {
      EXPECT_TRUE(named);
      ++(outcome.error.empty() ? warnings : errors);
    } else {
      EXPECT_TRUE(outcome.frames == usual.frames || frames == Frames::kVary) << "other frames without a message";
      ++unharmed;
    }
    all += outcome.said();
  }
  std::printf("%s, %s: %d errors, %d warnings, %d times no harm\n",
              launched.text.substr(0, launched.text.find(' ')).c_str(), fault.name, errors, warnings, unharmed);
  EXPECT_GT(errors, in_mid_stream ? 1 : 6);
  return all;
}

Launched segment() { return {"glsegment refine=guided model=" + red_model(), "", ""}; }
// Its scores are the same everywhere, and yield seventeen points.
Launched pose() { return {"glpose model=" + shaped_model({32, 32, 3, 17}), "", ""}; }
Launched infer() { return {"glinfer model=" + red_model(), "", ""}; }

TEST(FaultyElements, SegmentLosesTheContext) { expect_messages(segment(), kLost); }
TEST(FaultyElements, SegmentHasNoMemory) { expect_messages(segment(), kNoMemory); }
TEST(FaultyElements, PoseLosesTheContext) { expect_messages(pose(), kLost); }
TEST(FaultyElements, PoseHasNoMemory) { expect_messages(pose(), kNoMemory); }
TEST(FaultyElements, InferLosesTheContext) { expect_messages(infer(), kLost); }
TEST(FaultyElements, InferHasNoMemory) { expect_messages(infer(), kNoMemory); }

TEST(FaultyElements, TextThatBeginsInMidStreamHasNoMemory) {
  Launched launched = segment();
  launched.property = "notice";
  launched.value = "Line";
  const std::string notice = expect_messages(launched, kNoMemory);
  EXPECT_NE(notice.find("allocating for the notice"), std::string::npos) << notice;
  launched.property = "hud";
  launched.value = "true";
  const std::string hud = expect_messages(launched, kNoMemory, Frames::kVary);
  EXPECT_NE(hud.find("allocating for the HUD"), std::string::npos) << hud;
}

constexpr const char* kShowMasks = " ! glsegment mask-source=meta background=color";

TEST(FaultyElements, AttachedMasksHaveNoMemory) {
  expect_messages({"glsegment attach-mask=true model=" + red_model() + kShowMasks, "", ""}, kNoMemory);
}

// glpose creates what it attaches masks with on its first frame.
TEST(FaultyElements, MasksOfPosesHaveNoMemory) {
  if (shared_directory().empty()) GTEST_SKIP() << "needs the real models of ../shared";
  expect_messages({"glpose attach-mask=true model=" + shared_directory() +
                       "/models/pose/blazepose_landmark_lite.tflite" + kShowMasks,
                   "", ""},
                  kNoMemory);
}

}  // namespace
}  // namespace sightglass::test
