#include "video/unfinished_file.h"

#include <filesystem>
#include <system_error>

#include "video/gst_objects.h"

namespace sightglass::video {

UnfinishedFile::UnfinishedFile(GstElement* pipeline, const char* element, const std::string& name)
    : name_(name), path_(name + ".part") {
  if (name_.empty()) return;
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), element));
  g_object_set(sink.get(), "location", path_.c_str(), nullptr);
}

UnfinishedFile::~UnfinishedFile() {
  std::error_code ignored;
  if (!name_.empty()) std::filesystem::remove(path_, ignored);
}

Status UnfinishedFile::finish() {
  if (name_.empty()) return {};
  std::error_code error;
  std::filesystem::rename(path_, name_, error);
  return error ? device_error(name_ + ": cannot rename " + path_ + ": " + error.message()) : Status();
}

}  // namespace sightglass::video
