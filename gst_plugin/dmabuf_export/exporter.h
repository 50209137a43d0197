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
#include "sightglass/interop/draw_fence.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/status.h"

namespace sightglass {

struct ExportStats {
  uint64_t frames = 0;
  uint64_t lent = 0;    // in downstream memory
  uint64_t drawn = 0;   // copied in a render pass, because upstream used other textures
  uint64_t waited = 0;  // for which the CPU waited, because no fence could be exported
};

class DmabufExporter {
 public:
  DmabufExporter() = default;
  ~DmabufExporter() = default;  // call detach() first
  DmabufExporter(const DmabufExporter&) = delete;
  DmabufExporter& operator=(const DmabufExporter&) = delete;

  // On the GL thread of `context`, before all other calls. If it cannot create DMABUFs, fails, naming the device.
  Status attach(GstGLContext* context);
  // On the GL thread: forgets the context. Frames held by others stay valid.
  void detach();

  // The calls below are for the streaming thread.
  bool can_export(uint32_t fourcc, uint64_t modifier) const;
  // Sets the format of further frames; downstream holds `held` of them at a time. Uses memory of the downstream pool
  // `theirs`, which may be null, if it is renderable, otherwise memory of the device. Creates the first frame to check
  // that it works.
  Status set_format(const ExportFormat& format, guint held, DownstreamPool theirs);
  // A pool for upstream with `caps`, whose textures need no copy; null if every frame must be copied. The caller owns
  // it.
  GstBufferPool* propose_pool(GstCaps* caps, guint* min);
  // Returns a DMABUF buffer that shows `input`, an RGBA texture. The caller owns it.
  Result<GstBuffer*> export_frame(GstBuffer* input);

  ExportStats stats() const;

 private:
  Status run(const std::function<Status()>& work);
  GstBuffer* acquire();
  // With the lock held:
  bool fits(GstBuffer* buffer) const;
  Status finish(GstBuffer* input, GstBuffer* output);  // on the GL thread

  mutable std::mutex mutex_;  // guards the members below, except the counters
  GstGLContext* context_ = nullptr;
  std::optional<DmabufSource> source_;  // set when the format is known
  std::shared_ptr<const interop::DrawTargets> targets_;
  std::unique_ptr<interop::DrawFence> fence_;
  guint held_ = 0;
  std::unique_ptr<interop::DrawTarget> first_;  // until a pool takes it
  GstBufferPool* pool_ = nullptr;               // for frames that are copied
  std::unique_ptr<PlanePainter> painter_;
  std::atomic<uint64_t> frames_ = 0, lent_ = 0, drawn_ = 0, waited_ = 0;
};

}  // namespace sightglass
