#include "sightglass/share_group.h"

#include <algorithm>
#include <map>
#include <new>

#include "gpu_engine/build_programs.h"
#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "plan/plan_data.h"
#include "runtime/arena.h"

namespace sightglass {

struct ShareGroup::Impl {
  struct Buffers {
    std::weak_ptr<PlanBuffers> buffers;
    int64_t weight_bytes = 0;
  };
  std::map<ProgramKey, std::weak_ptr<GlProgram>> programs;
  std::map<const Plan*, Buffers> plans;  // holders keep their plan alive, so the key of a live entry is valid

  void forget_unheld() {
    std::erase_if(programs, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(plans, [](const auto& entry) { return entry.second.buffers.expired(); });
  }
};

ShareGroup::ShareGroup(const GlApi& gl, std::shared_ptr<ProgramCache> cache, ShaderFiles shaders, Log log)
    : gl_(gl),
      cache_(std::move(cache)),
      sources_{engine_shaders(), shaders},
      log_(std::move(log)),
      impl_(std::make_unique<Impl>()) {}

ShareGroup::~ShareGroup() = default;

std::shared_ptr<ShareGroup> ShareGroup::create(const GlApi& gl, std::shared_ptr<ProgramCache> cache,
                                               ShaderFiles shaders, Log log) try {
  std::shared_ptr<ShareGroup> group(new ShareGroup(gl, std::move(cache), shaders, std::move(log)));
  group->log_.debug([&] {
    return "new share group; " +
           (group->cache_ != nullptr ? "programs are cached in " + group->cache_->folder() : "programs are not cached");
  });
  return group;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Result<std::vector<SharedProgram>> ShareGroup::programs(std::span<const ProgramKey> keys) try {
  std::vector<std::shared_ptr<GlProgram>> found(keys.size());
  {
    const std::lock_guard lock(mutex_);
    impl_->forget_unheld();
    std::vector<ProgramKey> missing;
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto known = impl_->programs.find(keys[i]);
      if (known != impl_->programs.end()) {
        found[i] = known->second.lock();
      } else if (std::ranges::find(missing, keys[i]) == missing.end()) {
        missing.push_back(keys[i]);
      }
    }
    log_.debug([&] {
      return std::to_string(keys.size()) + " shader programs requested, " + std::to_string(missing.size()) +
             " of them new in the share group";
    });
    if (!missing.empty()) {
      SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<GlProgram> built,
                                  build_programs(gl_, missing, sources_, cache_.get(), log_));
      for (size_t i = 0; i < missing.size(); ++i) {
        const auto program = std::make_shared<GlProgram>(std::move(built[i]));
        impl_->programs[missing[i]] = program;
        for (size_t k = 0; k < keys.size(); ++k) {
          if (keys[k] == missing[i]) found[k] = program;
        }
      }
    }
  }
  std::vector<SharedProgram> result;
  result.reserve(found.size());
  for (std::shared_ptr<GlProgram>& program : found) result.emplace_back(shared_from_this(), std::move(program));
  return result;
} catch (...) {
  return status_of_exception("programs", "share them");
}

Result<SharedPlanBuffers> ShareGroup::buffers(const std::shared_ptr<const Plan>& plan) try {
  std::shared_ptr<PlanBuffers> found;
  {
    const std::lock_guard lock(mutex_);
    impl_->forget_unheld();
    Impl::Buffers& entry = impl_->plans[plan.get()];
    found = entry.buffers.lock();
    log_.debug([&] {
      return plan->model().name() + ": weights: " + std::to_string(data_of(*plan).memory.weight_bytes) + " bytes " +
             (found != nullptr ? "shared with another session" : "uploaded");
    });
    if (found == nullptr) {
      const PlanData& data = data_of(*plan);
      SIGHTGLASS_ASSIGN_OR_RETURN(MemoryShare share, MemoryShare::take("its weights need", data.memory.weight_bytes,
                                                                       data.options.resources.memory_bytes));
      clear_gl_errors(gl_);
      found = std::make_shared<PlanBuffers>();
      found->memory = std::make_shared<const MemoryShare>(std::move(share));
      found->weights =
          make_buffer(gl_, GL_SHADER_STORAGE_BUFFER, data.memory.weight_bytes, data.weights.data(), GL_STATIC_DRAW);
      found->params = make_buffer(gl_, GL_UNIFORM_BUFFER, static_cast<int64_t>(data.params.size() * sizeof(int32_t)),
                                  data.params.data(), GL_STATIC_DRAW);
      SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl_, "uploading the weights of a model"));
      // Other contexts may use the upload only after it completes.
      gl_.Finish();
      entry = {found, data.memory.weight_bytes};
    }
  }
  return SharedPlanBuffers(shared_from_this(), std::move(found));
} catch (...) {
  return status_of_exception(plan->model().name(), "share its weights");
}

ShareGroup::Contents ShareGroup::contents() const {
  const std::lock_guard lock(mutex_);
  impl_->forget_unheld();
  Contents contents;
  contents.programs = static_cast<int>(impl_->programs.size());
  contents.plans = static_cast<int>(impl_->plans.size());
  for (const auto& [plan, buffers] : impl_->plans) contents.weight_bytes += buffers.weight_bytes;
  return contents;
}

}  // namespace sightglass
