// What the demo was asked to do, and the pieces of its pipeline as gst-launch-1.0 writes them.
#pragma once

#include <optional>
#include <string>

namespace sightglass::demo {

struct Options {
  std::string model;       // a path, or the name of a known model
  std::string input;       // a file, /dev/videoN, or kFigures
  std::string background;  // blur, color, transparent, mask, or a picture's path
  std::string output;      // empty: a window
  std::string properties;  // more properties for glsegment, as gst-launch writes them
  // 0: to the end of the input, or until interrupted. Not set: the same, but kSecondsOfFile when the input has no end
  // and goes into a file.
  std::optional<int> seconds;

  bool endless() const;  // whether the input is
  int limit() const;     // in seconds; 0: none
};

// The input that glfiguresrc draws.
constexpr const char* kFigures = "figures";
constexpr int kSecondsOfFile = 10;

// "v4l2src device=/dev/video0", "filesrc location=clip.mp4 ! decodebin" or "glfiguresrc …", up to the upload.
std::string source_text(const Options& options);
// "glsegment name=segment model=… background=…"; `background` replaces the one in the options unless it is empty.
std::string segment_text(const Options& options, const std::string& background = {});
// Window, or encoder and file by the output's name; empty when no encoder for it is installed. The element that writes
// the file is called kFileSink.
constexpr const char* kFileSink = "file";
std::string sink_text(const Options& options);

// The first file name for the output for which an encoder is installed: `stem`.mp4 or `stem`.webm; empty if none is.
std::string default_output(const std::string& stem);

}  // namespace sightglass::demo
