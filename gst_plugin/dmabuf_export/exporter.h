// Frames in textures become frames in DMABUFs, for the element gldmabufexport.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dmabuf_export/dmabuf_pool.h"
#include "dmabuf_export/export_caps.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/interop/draw_fence.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Copies frames from textures of other elements to the planes of a frame that leaves GL, in a render pass.

// All calls are on the GL thread.
class PlanePainter {
 public:
  // For frames of `info`: NV12, or RGB formats of one plane.
  static Result<std::unique_ptr<PlanePainter>> create(const std::shared_ptr<ShareGroup>& group,
                                                      const GstVideoInfo& info);

  // Draws the region of the texture `frame` that begins at pixel `x`, `y` and has the frame size, into one texture, or
  // into a Y' texture and a CbCr texture. Restores bindings.
  Status draw(const TextureRef& frame, std::span<const TextureRef> planes, int32_t x = 0, int32_t y = 0);

 private:
  struct Coding {
    std::array<float, 12> rows{};
    std::array<float, 4> across{}, down{}, part{};
    bool operator==(const Coding&) const = default;
  };
  PlanePainter(const GlApi& gl, const GstVideoInfo& info, std::vector<SharedProgram> programs);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // one for each plane
  Coding coding_;
  UniformBlock<Coding> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler nearest_;
};

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
