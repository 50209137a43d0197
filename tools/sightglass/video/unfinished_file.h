// An output file while it is written. It gets its name when it is complete, so a file of that name is always whole. A
// device or a pipe is written to as it is.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

#include "gpu_engine/output_file.h"
#include "sightglass/status.h"

namespace sightglass::video {

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

}  // namespace sightglass::video
