// An output file while it is written. It gets its name when it is complete, so a file of that name is always whole.
#pragma once

#include <gst/gst.h>

#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

class UnfinishedFile {
 public:
  // Makes the file sink `element` of the pipeline write to "NAME.part". An empty name: does nothing.
  UnfinishedFile(GstElement* pipeline, const char* element, const std::string& name);
  // Removes the file unless finished.
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Call it after the pipeline has stopped.
  Status finish();

 private:
  const std::string name_, path_;
};

}  // namespace sightglass::video
