// What the elements of one process have in common, for as long as one of them holds it: models, plans, and share groups
// of GL contexts. Any thread.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/plan.h"
#include "gpu_engine/share_group.h"
#include "segment/mask_model.h"

namespace sightglass {

// A model, and its plans for the devices that elements run on.
class SharedModel {
 public:
  // The same object for the same file (by device, inode, size and time of the last change) and the same options. Fails
  // as load_mask_model() does.
  static Result<std::shared_ptr<SharedModel>> load(const std::string& path, const MaskModelOptions& options);

  explicit SharedModel(MaskModel mask) : mask_(std::move(mask)) {}
  const MaskModel& mask() const { return mask_; }
  // For frames of one kind. `tuning` may be null; equal ones make the same plan.
  Result<std::shared_ptr<const Plan>> plan(const DeviceLimits& limits, std::shared_ptr<const Tuning> tuning = nullptr,
                                           FrameKind frame = FrameKind::kRgba);

 private:
  struct Planned {
    DeviceLimits limits;
    std::shared_ptr<const Tuning> tuning;
    FrameKind frame;
    std::weak_ptr<const Plan> plan;
  };
  const MaskModel mask_;
  std::mutex mutex_;
  std::vector<Planned> plans_;
};

// The group of `context`: one for all contexts that can share with it. `gl` are its entry points; `cache_folder` is
// where the first element of the group wants programs kept, empty for nowhere.
std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder);

}  // namespace sightglass
