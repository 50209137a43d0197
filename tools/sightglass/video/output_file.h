// Output files: while they are written, and media files whose end is missing.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

#include "gpu_engine/files.h"
#include "sightglass/status.h"

namespace sightglass::video {

// An output file while it is written. It gets its name when it is complete, so a file of that name is always whole. A
// device or a pipe is written to as it is.
class UnfinishedFile {
 public:
  // Of a path that the user gave: links are followed. An empty name: no file. Fails if another process writes to it.
  static Result<UnfinishedFile> open(const std::string& name);
  // Of a path that the command chose: a link is replaced, and only regular files are. Returns nothing if another
  // process writes to it.
  static Result<std::optional<UnfinishedFile>> claim(const std::string& name);
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;

  // Makes the file sink `element` of the pipeline write to it.
  Status attach(GstElement* pipeline, const char* element) const;
  // Whether the sink can return to what it has written.
  bool seekable() const;

  // Call it after the pipeline has stopped. Without it, an incomplete regular file is removed.
  Status finish();

 private:
  UnfinishedFile() = default;
  std::optional<AtomicFile> file_;
  int descriptor_ = -1;  // of a device or a pipe
};

// Media files whose end is missing, as a broken transfer or a full disk leaves them. GStreamer plays what is there, and
// reports a normal end.

// Says what is missing at the end of the file: "ends early: 1000 of at least 2500 bytes are there". Empty if the file
// is whole, or if its format does not say where it ends, as MPEG transport streams. Reads the headers of the parts of a
// file only.
std::string describe_cut(const std::string& path);

// The end of video in MP4 and MOV files.

// These containers store durations between decoding times and cut a track at their sum. With frames that are reordered,
// and a variable frame rate, the last frames lie beyond it. Makes the muxer write a sum that ends with the last frame
// that is shown. `muxer`: the name of the muxer in the pipeline; does nothing if it is a muxer of other containers.
void keep_last_frames(GstElement* pipeline, const char* muxer);

}  // namespace sightglass::video
