// Frames in textures become frames in DMABUFs, for the element gldmabufexport.
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "dmabuf_export/dmabuf_pool.h"
#include "dmabuf_export/export_caps.h"
#include "dmabuf_export/plane_painter.h"
#include "gpu_engine/status.h"
#include "interop/draw_fence.h"
#include "interop/draw_target.h"

namespace sightglass {

struct ExportStats {
  uint64_t frames = 0;
  uint64_t lent = 0;    // that lie in memory of downstream's
  uint64_t drawn = 0;   // that had to be drawn over, since they came in textures of others
  uint64_t waited = 0;  // for which the CPU waited, since there was no fence to give away
};

class DmabufExporter {
 public:
  DmabufExporter() = default;
  ~DmabufExporter() = default;  // detached
  DmabufExporter(const DmabufExporter&) = delete;
  DmabufExporter& operator=(const DmabufExporter&) = delete;

  // On the GL thread of `context`, before all else. Fails where no DMABUFs can be made, naming the device.
  Status attach(GstGLContext* context);
  // On the GL thread: forgets the context. Frames that others hold stay theirs.
  void detach();

  // The others are for the streaming thread.
  bool can_export(uint32_t fourcc, uint64_t modifier) const;
  // From now on for frames like this, of which downstream holds `held` at a time: in memory of its pool `theirs`, which
  // may be null, if that can be drawn into, otherwise in memory of the device. Makes the first one, to know that it
  // can.
  Status set_format(const ExportFormat& format, guint held, DownstreamPool theirs);
  // A pool whose textures need no drawing over, for `caps` of upstream's; null where every frame does. Caller owns it.
  GstBufferPool* propose_pool(GstCaps* caps, guint* min);
  // A buffer of a DMABUF that shows `input`, an RGBA texture. The caller owns it.
  Result<GstBuffer*> export_frame(GstBuffer* input);

  ExportStats stats() const;

 private:
  Status on_gl_thread(const std::function<Status()>& work);
  GstBuffer* acquire();
  // With the lock held:
  bool fits(GstBuffer* buffer) const;
  Status finish(GstBuffer* input, GstBuffer* output);  // on the GL thread

  mutable std::mutex mutex_;  // guards all that follows up to the counters
  GstGLContext* context_ = nullptr;
  std::optional<DmabufSource> source_;  // once the format is known
  std::shared_ptr<const interop::DrawTargets> targets_;
  std::unique_ptr<interop::DrawFence> fence_;
  guint held_ = 0;
  std::unique_ptr<interop::DrawTarget> first_;  // until a pool takes it
  GstBufferPool* pool_ = nullptr;               // for frames that are drawn over
  std::unique_ptr<PlanePainter> painter_;
  std::atomic<uint64_t> frames_ = 0, lent_ = 0, drawn_ = 0, waited_ = 0;
};

}  // namespace sightglass
