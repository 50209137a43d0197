#include "video/unfinished_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

// Replaces the file sink by one that writes to the descriptor.
Status write_to_descriptor(GstElement* pipeline, GstElement* file_sink, int descriptor) {
  const PadPtr pad(gst_element_get_static_pad(file_sink, "sink"));
  const PadPtr peer(gst_pad_get_peer(pad.get()));
  const TextPtr name(gst_element_get_name(file_sink));
  GstElement* const sink = gst_element_factory_make("fdsink", nullptr);
  if (sink == nullptr || peer == nullptr) return device_error("GStreamer's fdsink is missing; install GStreamer again");
  g_object_set(sink, "fd", descriptor, "sync", FALSE, nullptr);
  gst_pad_unlink(peer.get(), pad.get());
  gst_bin_remove(GST_BIN(pipeline), file_sink);
  gst_element_set_name(sink, name.get());
  gst_bin_add(GST_BIN(pipeline), sink);
  const PadPtr new_pad(gst_element_get_static_pad(sink, "sink"));
  if (gst_pad_link(peer.get(), new_pad.get()) == GST_PAD_LINK_OK) return {};
  return device_error("GStreamer cannot link its fdsink");
}

}  // namespace

Result<UnfinishedFile> UnfinishedFile::open(const std::string& name) {
  UnfinishedFile result;
  if (name.empty()) return result;
  SIGHTGLASS_ASSIGN_OR_RETURN(const OutputPlace place, find_output_place(name));
  if (place.in_place) {
    SIGHTGLASS_ASSIGN_OR_RETURN(result.descriptor_, open_in_place(place.path));
    return result;
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(auto file, AtomicFile::create_locked(place.path, FileAccess::kEveryone));
  if (!file) {
    return device_error(name + ": another process writes this file; wait until it ends, or choose another name");
  }
  if (place.mode) SIGHTGLASS_RETURN_IF_ERROR(file->set_permissions(*place.mode));
  result.file_.emplace(*std::move(file));
  return result;
}

Result<std::optional<UnfinishedFile>> UnfinishedFile::claim(const std::string& name) {
  struct stat info {};
  if (lstat(name.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
      return device_error(name + ": is not a regular file; remove it, or choose another directory");
    }
  } else if (errno != ENOENT) {
    return device_error(name + ": " + std::strerror(errno));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(auto file, AtomicFile::create_locked(name, FileAccess::kEveryone));
  std::optional<UnfinishedFile> result;
  if (!file) return result;
  result.emplace(UnfinishedFile());
  result->file_.emplace(*std::move(file));
  return result;
}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Status UnfinishedFile::attach(GstElement* pipeline, const char* element) const {
  if (!file_ && descriptor_ < 0) return {};
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), element));
  if (descriptor_ >= 0) return write_to_descriptor(pipeline, sink.get(), descriptor_);
  g_object_set(sink.get(), "location", file_->temporary_path().c_str(), nullptr);
  return {};
}

bool UnfinishedFile::seekable() const { return descriptor_ < 0 || ::lseek(descriptor_, 0, SEEK_CUR) >= 0; }

Status UnfinishedFile::finish() { return file_ ? file_->commit() : Status(); }

}  // namespace sightglass::video
