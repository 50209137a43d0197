// The buffer that a session's tensors live in, as the plan lays it out.
#pragma once

#include <functional>

#include "gpu_engine/gl_objects.h"
#include "plan/plan_data.h"

namespace sightglass {

class Arena {
 public:
  // The caller looks at GL's errors.
  void create(const GlApi& gl, const PlanData& plan);
  GLuint id() const { return buffer_.id(); }

  // Zeros, so that nothing read by the first dispatches is left to chance.
  void clear();
  // Guard bands, where the plan has them, and constants.
  void fill();
  // What a recurrent model begins with.
  void fill_states();
  // From block `offset` of the arena on.
  void write(int64_t offset, std::span<const std::byte> bytes);
  // Maps blocks of the arena for `use`, once the GPU is done with them.
  Status read(int64_t offset, int64_t size, const std::function<void(const void*)>& use) const;
  // Fails naming the tensors whose guard bands were overwritten.
  Status check_sentinels() const;

  void abandon() { buffer_.abandon(); }

 private:
  const GlApi* gl_ = nullptr;
  const PlanData* plan_ = nullptr;
  GlBuffer buffer_;
};

}  // namespace sightglass
