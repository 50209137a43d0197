// Measures frame rates of pipelines on the GPU, with and without glsegment, as JSON. Waits for the GPU at the first and
// the last counted frame, and never in between.
#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "standard_output.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string model;
  int width = 640, height = 480, frames = 60, repetitions = 3;
};

// Warm-up frames: pools fill and drivers compile.
constexpr int kUncounted = 10;

struct Counter {
  int frames = 0, last = 0;
  Clock::time_point first_time, last_time;
  bool complete = false;
};

void wait_for_gpu(GstGLContext* context, gpointer) {
  const auto finish = reinterpret_cast<void (*)()>(gst_gl_context_get_proc_address(context, "glFinish"));
  if (finish != nullptr) finish();
}

GstPadProbeReturn count(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& counter = *static_cast<Counter*>(data);
  ++counter.frames;
  if (counter.frames != kUncounted && counter.frames != counter.last) return GST_PAD_PROBE_OK;
  GstMemory* memory = gst_buffer_peek_memory(GST_PAD_PROBE_INFO_BUFFER(info), 0);
  if (memory != nullptr && gst_is_gl_memory(memory)) {
    gst_gl_context_thread_add(GST_GL_BASE_MEMORY_CAST(memory)->context, wait_for_gpu, nullptr);
  }
  (counter.frames == kUncounted ? counter.first_time : counter.last_time) = Clock::now();
  counter.complete = counter.frames == counter.last;
  return GST_PAD_PROBE_OK;
}

// Milliseconds per frame. Empty, with a message on stderr, if the pipeline fails.
std::optional<double> run_once(const std::string& text, int frames) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) {
    std::fprintf(stderr, "element_bench: %s: %s\n", text.c_str(), error->message);
    g_error_free(error);
    if (pipeline != nullptr) gst_object_unref(pipeline);
    return std::nullopt;
  }
  Counter counter;
  counter.last = kUncounted + frames;
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstPad* pad = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, &counter, nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 600 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    gchar* details = nullptr;
    gst_message_parse_error(message, &error, &details);
    std::fprintf(stderr, "element_bench: %s (%s)\n", error->message, details != nullptr ? details : "no details");
    g_error_free(error);
    g_free(details);
  }
  if (message != nullptr) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pad);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  if (!counter.complete) return std::nullopt;
  return std::chrono::duration<double, std::milli>(counter.last_time - counter.first_time).count() / frames;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures frame rates of pipelines with and without glsegment, and prints JSON.", "element_bench");
  Options options;
  app.add_option("--model", options.model, "Segmentation model; without it, glsegment is not measured")
      ->check(CLI::ExistingFile);
  app.add_option("--width", options.width, "Frame width (640)")->check(CLI::Range(16, 16384));
  app.add_option("--height", options.height, "Frame height (480)")->check(CLI::Range(16, 16384));
  app.add_option("--frames", options.frames, "Counted frames (60)")->check(CLI::Range(1, 1000000));
  app.add_option("--repetitions", options.repetitions, "Repetitions, of which the fastest counts (3)")
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  gst_init(nullptr, nullptr);

  struct Case {
    std::string name, element;
    double ms = 0;  // per frame, in the fastest repetition: in the others, other load may have interfered
  };
  std::vector<Case> cases{{"without an element", ""}, {"gleffects_blur", " ! gleffects_blur"}};
  if (!options.model.empty()) {
    for (const std::string background : {"blur", "color"}) {
      cases.push_back({"glsegment background=" + background,
                       " ! glsegment model=\"" + options.model + "\" background=" + background});
    }
  }
  const auto pipeline_of = [&options](const Case& one) {
    return "gltestsrc num-buffers=" + std::to_string(kUncounted + options.frames) +
           " ! video/x-raw(memory:GLMemory),format=RGBA,width=" + std::to_string(options.width) +
           ",height=" + std::to_string(options.height) + one.element + " ! fakesink name=sink sync=false";
  };
  // In turn, so that temporary load affects all of them.
  for (int i = 0; i < options.repetitions; ++i) {
    for (Case& one : cases) {
      const std::optional<double> ms = run_once(pipeline_of(one), options.frames);
      if (!ms) {
        std::fprintf(stderr, "element_bench: cannot measure this pipeline: %s\n", pipeline_of(one).c_str());
        return 1;
      }
      one.ms = i == 0 ? *ms : std::min(one.ms, *ms);
    }
  }
  nlohmann::ordered_json results{{"gstreamer", gst_version_string()},
                                 {"width", options.width},
                                 {"height", options.height},
                                 {"frames", options.frames}};
  results["pipelines"] = nlohmann::ordered_json::array();
  for (const Case& one : cases) {
    results["pipelines"].push_back({{"name", one.name},
                                    {"ms_per_frame", one.ms},
                                    {"frames_per_second", 1000 / one.ms},
                                    {"pipeline", pipeline_of(one)}});
  }
  std::printf("%s\n", results.dump(2).c_str());
  return sightglass::finish_output("element_bench", 0);
}
