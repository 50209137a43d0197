// Conditional runs: the work group counts of all steps are in a buffer, and become zeros if a flag is 0.
#pragma once

#include "plan/plan_data.h"
#include "sightglass/share_group.h"

namespace sightglass {

class Gate {
 public:
  // For the steps of `plan`. The caller checks for GL errors.
  Status create(ShareGroup& group, const PlanData& plan);
  explicit operator bool() const { return bool{groups_}; }

  // Computes the work group counts from the flag, a uint at `offset` of the buffer. Waits, on the GPU, for the shader
  // that wrote the flag.
  void ask(const GlApi& gl, GLuint flag_buffer, GLintptr offset) const;
  // From bind() to unbind(), dispatch step i indirectly, from byte offset(i).
  void bind(const GlApi& gl) const { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, groups_.id()); }
  static GLintptr offset(size_t step) { return static_cast<GLintptr>(step * 3 * sizeof(GLuint)); }
  static void unbind(const GlApi& gl) { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0); }
  // Runs the program once, with its own flag. No visible effect.
  void warm_up(const GlApi& gl) const { ask(gl, planned_.id(), 0); }

  void abandon();

 private:
  SharedProgram program_;
  GlBuffer planned_, groups_;  // three uints per step
  GLuint dispatches_ = 0;      // work groups of the program
};

}  // namespace sightglass
