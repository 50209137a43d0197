// The --output of the video subcommands.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

// Output as one image per frame, with numbers in the names: "frame-%05d.png".
// A name with one "%d", "%5d", or "%05d" after the last slash. Every other "%" is a part of the name.
struct NumberedName {
  std::string before, conversion, after;

  std::string at(uint64_t number) const;
  // For elements that take the name as a printf() format.
  std::string format() const;
  // Whether this is the name of one of the images.
  bool matches(const std::string& name) const;
};
// Nothing if the name has no number.
std::optional<NumberedName> parse_numbered_name(const std::string& name);

// Writes the images, each as a whole.
class NumberedImages {
 public:
  // Takes the frames of the file sink `element` of the pipeline. Failures are errors of that element.
  NumberedImages(GstElement* pipeline, const char* element, NumberedName name);
  NumberedImages(const NumberedImages&) = delete;
  NumberedImages& operator=(const NumberedImages&) = delete;

 private:
  static GstPadProbeReturn on_image(GstPad* pad, GstPadProbeInfo* info, gpointer images);
  void write(GstElement* sink, GstBuffer* buffer);

  const NumberedName name_;
  uint64_t next_ = 0;
};

struct Output {
  enum class Kind {
    kWindow,
    kNone,           // runs the model, and shows nothing
    kVideo,          // a file; its ending selects the container
    kStill,          // a file with one image
    kImages,         // numbered PNG or JPEG files: "frame-%05d.png"
    kPipe,           // Y4M to standard output, or to a file
    kVirtualCamera,  // a v4l2loopback device
    kRtsp,           // a server of this process: "rtsp://:8554/name"
    kWhip,           // a WebRTC server: "whip://host/path"
  };
  Kind kind = Kind::kWindow;
  std::string name;  // as the user wrote it
  // For kVideo, chosen from the installed elements, in gst-launch syntax:
  std::string encoder, muxer, audio_encoder;

  // Whether the output is a file that gets its name when it is complete.
  bool is_file() const { return kind == Kind::kVideo || kind == Kind::kStill || (kind == Kind::kPipe && name != "-"); }
};

struct OutputWishes {
  std::string encoder;  // in gst-launch syntax: "vah264enc bitrate=4000"; empty: the first one that is installed
  bool alpha = false;   // whether frames have transparent parts
};

// Recognizes an output: "window", "none", a file by its ending (.mp4, .mkv, .mov, .webm, .png, .jpg, .y4m), a file name
// with %d, "-", /dev/videoN, rtsp://:PORT/NAME, or whip://…. Empty: a window. Checks that the elements are installed
// and that the directory is writable. Errors name the output.
Result<Output> recognize_output(const std::string& text, const OutputWishes& wishes);

// The element that writes the file in sink_text().
constexpr const char* kFileElement = "file";
// The muxer in sink_text() of kVideo; audio is linked to it.
constexpr const char* kMuxerElement = "mux";
constexpr const char* kMuxerAudioPad = "audio_0";
// The server of kRtsp sends this payloader's packets.
constexpr const char* kRtspPayloader = "pay0";

// In gst-launch syntax, after the element that runs the model. `rendered`: the input is rendered figures, which may be
// slower than real time without a GPU; they then move slowly, but no frame is dropped.
// `width` and `height` are those of the frames, 0 if they are not known yet.
std::string sink_text(const Output& output, bool rendered, int width = 0, int height = 0);

}  // namespace sightglass::video
