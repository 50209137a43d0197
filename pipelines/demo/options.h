// The options of the demo, and the parts of its pipeline in gst-launch-1.0 syntax.
#pragma once

#include <optional>
#include <string>

namespace sightglass::demo {

struct Options {
  std::string model;       // a path, or the name of a known model
  std::string input;       // a file, /dev/videoN, or kFigures
  std::string background;  // blur, color, transparent, mask, or the path of an image
  std::string output;      // empty: a window
  std::string properties;  // more properties for glsegment, in gst-launch syntax
  // 0: to the end of the input, or until interrupted. Unset: the same, but kSecondsOfFile if the input is endless and
  // is written to a file.
  std::optional<int> seconds;

  bool endless() const;  // whether the input is endless
  int limit() const;     // in seconds; 0: no limit
};

// The input that glfiguresrc renders.
constexpr const char* kFigures = "figures";
constexpr int kSecondsOfFile = 10;

// "v4l2src device=/dev/video0", "filesrc location=clip.mp4 ! decodebin" or "glfiguresrc …", up to the upload.
std::string source_text(const Options& options);
// "glsegment name=segment model=… background=…"; `background` replaces the one in the options unless it is empty.
std::string segment_text(const Options& options, const std::string& background = {});
// A window, or an encoder and a file, depending on the output name; empty if no encoder for it is installed. The
// element that writes the file is named kFileSink.
constexpr const char* kFileSink = "file";
std::string sink_text(const Options& options);

// The first output file name with an installed encoder: `stem`.mp4 or `stem`.webm; empty if there is none.
std::string default_output(const std::string& stem);

}  // namespace sightglass::demo
