// sightglass-demo: plays a video file, a camera, or rendered figures through glsegment, into a window, or into a file
// with a contact sheet.
#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "contact_sheet.h"
#include "defaults.h"
#include "options.h"
#include "playback.h"
#include "standard_output.h"

namespace {

using sightglass::demo::Options;

// Without a window system, GL comes directly from the driver. Variables that are already set take precedence.
void choose_headless_gl() {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  setenv("GST_GL_PLATFORM", "egl", 0);
  setenv("GST_GL_API", "gles2", 0);
  setenv("GST_GL_WINDOW", minor >= 24 ? "surfaceless" : "egl-device", 0);
}

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

int fail(const std::string& message) {
  std::fprintf(stderr, "sightglass-demo: %s\n", message.c_str());
  return 1;
}

int run(const Options& options, int column_width, const std::string& hint) {
  const auto result = sightglass::demo::play(options);
  if (!result.ok()) return fail(result.status().message() + hint);
  const double rate = result->seconds > 0 ? static_cast<double>(result->frames - 1) / result->seconds : 0;
  std::printf("\n%llu frames of %dx%d, %.1f per second\n", static_cast<unsigned long long>(result->frames),
              result->width, result->height, rate);
  if (result->gpu_ms > 0) {
    std::printf("per frame: model %.1f ms, model and compositing %.1f ms on the GPU; %.1f ms on the CPU\n",
                result->model_ms, result->gpu_ms, result->cpu_ms);
  } else {
    std::printf("per frame: %.1f ms on the CPU; this driver has no timer queries\n", result->cpu_ms);
  }
  std::printf("start of the model: %.0f ms\n", result->start_ms);
  if (options.output.empty()) return 0;

  const std::string sheet = options.output.substr(0, options.output.rfind('.')) + ".png";
  if (const auto status = sightglass::demo::write_contact_sheet(options, result->samples, column_width, sheet);
      !status.ok()) {
    return fail(status.message());
  }
  std::printf("video: %s\ncontact sheet (input, mask, result): %s\n", options.output.c_str(), sheet.c_str());
  return 0;
}

// May throw exceptions of the option parser and of the standard library.
int run_command(int argc, char** argv) {
  Options options;
  int column_width = 240;
  CLI::App app(
      "Plays a camera, a video file, or rendered figures with the background blurred or replaced, in a window, or "
      "without a display into a video file with a PNG contact sheet.");
  app.name("demo");
  app.add_option(
      "--model", options.model,
      "path or name of a TFLite segmentation model, see `sightglass models list` (default: selfie-segmenter if it has "
      "been fetched and the input is not figures, otherwise figure)");
  app.add_option("--input", options.input,
                 "a video file, a camera (/dev/videoN), or figures, which glfiguresrc renders (default: the first "
                 "camera, or figures if there is none)");
  app.add_option("--background", options.background, "blur, color, transparent, mask, or the path of an image")
      ->default_val("blur");
  app.add_option("--output", options.output, "a .mp4 or .webm file instead of a window");
  app.add_option("--properties", options.properties, "more properties of glsegment: \"blur-strength=9 threshold=0.6\"");
  app.add_option(
         "--seconds", options.seconds,
         "stop after this time; 0: at the end of a video file or at Ctrl-C (default: 10 if a camera or figures are "
         "written to a file, otherwise 0)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--column-width", column_width, "width of a contact sheet column in pixels")
      ->default_val(column_width);
  CLI11_PARSE(app, argc, argv);

  if (!has_display()) choose_headless_gl();
  gst_init(nullptr, nullptr);
  if (options.output.empty() && !has_display()) {
    options.output = sightglass::demo::default_output("sightglass-demo");
    if (options.output.empty()) {
      return fail("no display, and no encoder for a file: install x264enc, openh264enc, or vp8enc");
    }
  }
  GstElementFactory* factory = gst_element_factory_find("glsegment");
  if (factory == nullptr) {
    return fail("GStreamer does not find glsegment: set GST_PLUGIN_PATH to the directory of libgstsightglass.so");
  }
  gst_object_unref(factory);
  std::string hint;
  if (options.input.empty()) {
    options.input = sightglass::demo::find_camera();
    if (!options.input.empty()) hint = "; use --input figures to run without a camera";
  }
  if (options.input.empty()) options.input = sightglass::demo::kFigures;
  if (options.model.empty()) {
    options.model = sightglass::demo::default_model(options.input);
    if (options.input != sightglass::demo::kFigures && options.model == "figure") {
      std::printf(
          "the bundled model was trained on rendered figures only: clothes can have holes, and raised arms and other "
          "people can be missing; for people, fetch a model that was trained on photographs: `sightglass models fetch "
          "selfie-segmenter`\n");
    }
  }
  return run(options, column_width, hint);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return sightglass::finish_output("sightglass-demo", run_command(argc, argv));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
