// What sessions on contexts of one share group have in common: compiled programs, and the weights of plans. Each exists
// once, for as long as anybody holds it.
//
// A share group is a set of GL contexts that see each other's objects (EGL's share_context,
// gst_gl_context_can_share()). Any thread may use the class, as long as a context of the group is current on it: the
// last holder of an object deletes it. Whoever comes second while programs are being compiled waits for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/log.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/program_cache.h"
#include "gpu_engine/shader_source.h"
#include "gpu_engine/status.h"

namespace sightglass {

class ShareGroup;

// One of the holders of an object of a group. Move-only; destruction needs a context of the group current.
template <typename Object>
class Shared {
 public:
  Shared() = default;
  Shared(std::shared_ptr<ShareGroup> group, std::shared_ptr<Object> object)
      : group_(std::move(group)), object_(std::move(object)) {}
  Shared(Shared&&) noexcept = default;
  Shared& operator=(Shared&& other) noexcept {
    if (this != &other) {
      drop(false);
      group_ = std::move(other.group_);
      object_ = std::move(other.object_);
    }
    return *this;
  }
  ~Shared() { drop(false); }

  const Object* operator->() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }
  // Lets go without a GL call, for a context that is gone. Other holders keep the object.
  void abandon() { drop(true); }

 private:
  void drop(bool abandoned);

  std::shared_ptr<ShareGroup> group_;  // outlives the object, whose function table is the group's
  std::shared_ptr<Object> object_;
};

// The buffers of a plan that never change.
struct PlanBuffers {
  GlBuffer weights;  // for storage block 3
  GlBuffer params;   // the uniform blocks of all steps

  void abandon() {
    weights.abandon();
    params.abandon();
  }
};

using SharedProgram = Shared<GlProgram>;
using SharedPlanBuffers = Shared<PlanBuffers>;

class ShareGroup : public std::enable_shared_from_this<ShareGroup> {
 public:
  // `gl` is copied: its entry points must be good for every context of the group. Programs come from `cache`, when
  // there is one, and go there. They are built from the engine's shaders and those of the caller, `shaders`. `log`
  // reports programs, weights and the sessions of the group. Null when memory runs out; whoever is given that for a
  // group says so.
  static std::shared_ptr<ShareGroup> create(const GlApi& gl, std::shared_ptr<ProgramCache> cache = nullptr,
                                            ShaderFiles shaders = {}, Log log = {});
  ~ShareGroup();

  const GlApi& gl() const { return gl_; }
  const Log& log() const { return log_; }
  // By key; those that nobody holds yet are built.
  Result<std::vector<SharedProgram>> programs(std::span<const ProgramKey> keys);
  // Uploaded where nobody holds them yet; complete for all contexts of the group.
  Result<SharedPlanBuffers> buffers(const std::shared_ptr<const Plan>& plan);

  // What is held now.
  struct Contents {
    int programs = 0;
    int plans = 0;
    int64_t weight_bytes = 0;
  };
  Contents contents() const;

 private:
  template <typename Object>
  friend class Shared;
  struct Impl;
  ShareGroup(const GlApi& gl, std::shared_ptr<ProgramCache> cache, ShaderFiles shaders, Log log);

  const GlApi gl_;
  const std::shared_ptr<ProgramCache> cache_;
  const ShaderSources sources_;
  const Log log_;
  mutable std::mutex mutex_;  // guards the maps and every count of holders
  std::unique_ptr<Impl> impl_;
};

template <typename Object>
void Shared<Object>::drop(bool abandoned) {
  if (object_ == nullptr) return;
  {
    const std::lock_guard lock(group_->mutex_);
    if (abandoned && object_.use_count() == 1) object_->abandon();
    object_.reset();
  }
  group_.reset();
}

}  // namespace sightglass
