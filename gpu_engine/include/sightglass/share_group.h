// Objects that sessions on contexts of one share group have in common: compiled programs, and the weights of plans.
// Each exists once, for as long as it has a holder.
//
// A share group is a set of GL contexts that share objects (EGL's share_context, gst_gl_context_can_share()). Any
// thread may use the class while a context of the group is current on it: the last holder of an object deletes it.
// While one thread compiles programs, the others wait for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "sightglass/gl_objects.h"
#include "sightglass/log.h"
#include "sightglass/plan.h"
#include "sightglass/program_cache.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

class ShareGroup;

// A holder of a shared object of a group. Move-only. Destruction requires a context of the group to be current.
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
  // Releases the object without a GL call, for a lost context. Other holders keep it.
  void abandon() { drop(true); }

 private:
  void drop(bool abandoned);

  std::shared_ptr<ShareGroup> group_;  // outlives the object, which uses the GlApi of the group
  std::shared_ptr<Object> object_;
};

// The constant buffers of a plan.
struct PlanBuffers {
  GlBuffer weights;                    // for storage block 3
  GlBuffer params;                     // the uniform blocks of all steps
  std::shared_ptr<const void> memory;  // counts the weights (ResourceLimits::memory_bytes)

  void abandon() {
    weights.abandon();
    params.abandon();
  }
};

using SharedProgram = Shared<GlProgram>;
using SharedPlanBuffers = Shared<PlanBuffers>;

class ShareGroup : public std::enable_shared_from_this<ShareGroup> {
 public:
  // `gl` is copied: its entry points must be valid for every context of the group. `cache`, if given, provides and
  // stores programs. They are built from the engine's shaders and the caller's, `shaders`. `log` reports programs,
  // weights and the sessions of the group. Returns null if memory runs out; functions that receive a null group report
  // it.
  static std::shared_ptr<ShareGroup> create(const GlApi& gl, std::shared_ptr<ProgramCache> cache = nullptr,
                                            ShaderFiles shaders = {}, Log log = {});
  ~ShareGroup();

  const GlApi& gl() const { return gl_; }
  const Log& log() const { return log_; }
  // Programs by key; builds those without a holder.
  Result<std::vector<SharedProgram>> programs(std::span<const ProgramKey> keys);
  // Uploads the buffers unless they have a holder; complete for all contexts of the group.
  Result<SharedPlanBuffers> buffers(const std::shared_ptr<const Plan>& plan);

  // Objects that currently have holders.
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
  mutable std::mutex mutex_;  // guards the maps and all holder counts
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
