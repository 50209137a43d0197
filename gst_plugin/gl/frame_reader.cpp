#include "gl/frame_reader.h"

#include <utility>

#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::gl_log()

namespace sightglass {

FrameKind FrameReader::planned_kind(const DeviceInfo& device, FrameKind kind, FrameLife life) {
  if (kind != FrameKind::kExternal) return kind;
  const bool shows_samples = device.limits.external_textures && device.version.find("Mesa") != std::string::npos;
  return shows_samples || life == FrameLife::kKept ? FrameKind::kRgba : kind;
}

Result<FrameReader> FrameReader::create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device,
                                        FrameKind kind, FrameLife life) {
  FrameReader reader;
  const FrameKind read = planned_kind(device, kind, life);
  if (read == kind) {
    GST_DEBUG_OBJECT(log_object(), "import: shaders sample the frames directly: %s", to_string(kind));
  } else {
    GST_DEBUG_OBJECT(
        log_object(), "import: copying external textures first: %s",
        life == FrameLife::kKept ? "a second model reads them later" : "Mesa compute shaders misread them");
    SIGHTGLASS_ASSIGN_OR_RETURN(FrameCopy copy, FrameCopy::create(group, kind));
    reader.copy_.emplace(std::move(copy));
  }
  if (life == FrameLife::kKept) {
    SIGHTGLASS_ASSIGN_OR_RETURN(FrameCopy kept, FrameCopy::create(group, read));
    reader.kept_.emplace(std::move(kept));
  }
  return reader;
}

Result<FrameRef> FrameReader::readable(const FrameRef& frame) {
  if (!copy_) return frame;
  return copy_->copy(frame);
}

}  // namespace sightglass
