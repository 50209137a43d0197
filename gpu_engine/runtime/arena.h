// The buffer with all tensors of a session, as laid out by the plan.
#pragma once

#include <functional>

#include "plan/plan_data.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

class Arena {
 public:
  // The caller checks for GL errors.
  void create(const GlApi& gl, const PlanData& plan);
  GLuint id() const { return buffer_.id(); }

  // Fills it with zeros, so that the first dispatches read defined values.
  void clear();
  // Fills in guard bands, if the plan has them, and constants.
  void fill();
  // Fills in the initial states of a recurrent model.
  void fill_states();
  // Writes from block `offset` of the arena.
  void write(int64_t offset, std::span<const std::byte> bytes);
  // Waits for the GPU, then maps blocks of the arena for `use`.
  Status read(int64_t offset, int64_t size, const std::function<void(const void*)>& use) const;
  // Fails, naming the tensors whose guard bands were overwritten.
  Status check_sentinels() const;

  void abandon() { buffer_.abandon(); }

 private:
  const GlApi* gl_ = nullptr;
  const PlanData* plan_ = nullptr;
  GlBuffer buffer_;
};

}  // namespace sightglass
