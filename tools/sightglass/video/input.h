// The --input of the video subcommands.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/status.h"
#include "video/cameras.h"
#include "video/gst_setup.h"
#include "video/media_info.h"

namespace sightglass::video {

// The screen of a desktop, through the portal org.freedesktop.portal.ScreenCast: the user chooses what is shared.
struct ScreenCast {
  int descriptor = -1;  // of a PipeWire connection; owned by this process until it ends
  uint32_t node = 0;    // of the stream in PipeWire
};

// Whether the session bus has a portal.
bool has_screen_portal();

// Asks the user, in a dialog of the desktop, and waits for the answer. The cast lasts until this process ends. Call it
// on the thread of the default main context, while no main loop runs.
Result<ScreenCast> open_screen_cast();

// Animated GIF files. The demuxer of libav gives all of their frames the same time, and does not end after the last.
class GifInput {
 public:
  // Recognizes the demuxer when it is added to the pipeline, and gives the frames for `model` their times. Outlives the
  // streaming threads.
  GifInput(GstElement* pipeline, GstElement* model);
  GifInput(const GifInput&) = delete;
  GifInput& operator=(const GifInput&) = delete;

  // Whether data is waiting in the demuxer after this many seconds without data: the last frame has passed.
  bool ended(GstElement* stuck, double idle) const;

 private:
  static void on_element(GstBin* pipeline, GstBin* bin, GstElement* element, gpointer input);
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer input);

  std::atomic<bool> active_ = false;
  GstClockTime next_ = 0;  // of the next frame; streaming thread only
};

constexpr const char* kFigures = "figures";  // rendered by glfiguresrc
constexpr const char* kScreen = "screen";
constexpr const char* kPipe = "-";  // Y4M from standard input

struct Input {
  enum class Kind { kFigures, kCamera, kFile, kAddress, kScreen, kPipe };
  Kind kind = Kind::kFigures;
  std::string name;  // as the user wrote it, or the path of the camera
  CameraWishes wishes;
  // For cameras:
  Camera camera;
  CameraFormat format;
  // For the screen: unset with X11.
  std::optional<ScreenCast> cast;
  // For files:
  MediaInfo media;

  bool endless() const { return kind == Kind::kFigures || kind == Kind::kCamera || kind == Kind::kScreen; }
};

// Recognizes an input: "figures", "screen", "-", an address (scheme://…), a camera (its number, path, or name), or a
// file. Empty: the first camera, or figures if there is none. Inspects files and cameras. Errors name the input. Wishes
// are an error for inputs with a size and rate of their own.
Result<Input> recognize_input(const std::string& text, const CameraWishes& wishes);

// The element that reads from the camera in source_text().
constexpr const char* kCameraElement = "camera";
// The element with the decoded streams in source_text() of files and addresses.
constexpr const char* kDecoderElement = "decoder";

struct SourceLimits {
  int seconds = 0;         // of figures; 0: endless
  int figure_rate = 30;    // frames per second of figures, unless the user wished for another rate
  std::string kept_audio;  // caps of audio that is not decoded; empty: audio is decoded
};
// In gst-launch syntax, up to the element that runs the model. Audio of files and addresses is not linked.
std::string source_text(const Input& input, const SourceLimits& limits);

}  // namespace sightglass::video
