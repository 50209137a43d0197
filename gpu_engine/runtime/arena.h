// The memory of a session: its buffer of tensors, as laid out by the planner, and that buffer as textures.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "kernel/kernel_interface.h"
#include "plan/plan_data.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

// Allocation of buffers.

// A buffer of `bytes`, at least one block, filled with `data` unless null. Leaves `target` unbound.
GlBuffer make_buffer(const GlApi& gl, GLenum target, int64_t bytes, const void* data, GLenum usage);

// The buffer with all tensors of a session, as laid out by the plan.
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

// The arena and the constants as buffer textures, for plans whose steps read through them (shaders/lib/tensor.glsl).
class BufferTextures {
 public:
  // Creates textures over `arena` and `constants` for the element types of the plan; none for a plan that reads storage
  // blocks. The buffers must outlive them.
  void create(const GlApi& gl, const PlanData& plan, GLuint arena, GLuint constants);
  // Binds them to their units for all steps of a run. Any unit may be active afterward.
  void bind(const GlApi& gl) const;
  // Leaves GL_TEXTURE0 active if it was.
  void unbind(const GlApi& gl) const;
  // Releases the textures without deleting them.
  void abandon();

 private:
  enum View : uint8_t {
    kArenaFloat32,
    kArenaFloat16,
    kArenaInt32,
    kWeightsFloat32,
    kWeightsFloat16,
    kWeightsInt8,
    kViews
  };
  static constexpr std::array<GLuint, kViews> kUnits{kArenaFloat32Unit,   kArenaFloat16Unit,   kArenaInt32Unit,
                                                     kWeightsFloat32Unit, kWeightsFloat16Unit, kWeightsInt8Unit};
  bool bind_all(const GlApi& gl, bool bound) const;  // returns whether there are any

  std::array<GlTexture, kViews> textures_;  // by View; empty if the plan has no such elements
};

}  // namespace sightglass
