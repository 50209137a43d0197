// Runs about which the GPU decides: the work groups of every step lie in a buffer, and become zeros where a flag is 0.
#pragma once

#include "gpu_engine/share_group.h"
#include "plan/plan_data.h"

namespace sightglass {

class Gate {
 public:
  // For the steps of `plan`. The caller looks at GL's errors.
  Status create(ShareGroup& group, const PlanData& plan);
  explicit operator bool() const { return bool{groups_}; }

  // Asks the flag, a uint at `offset` of the buffer: the work groups follow from it. Waits for the shader that wrote
  // the flag, on the GPU.
  void ask(const GlApi& gl, GLuint flag_buffer, GLintptr offset) const;
  // From bind() to unbind() step i is to be dispatched indirectly, from byte offset(i).
  void bind(const GlApi& gl) const { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, groups_.id()); }
  static GLintptr offset(size_t step) { return static_cast<GLintptr>(step * 3 * sizeof(GLuint)); }
  static void unbind(const GlApi& gl) { gl.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0); }
  // The program once, with a flag of its own: nobody can tell.
  void warm_up(const GlApi& gl) const { ask(gl, planned_.id(), 0); }

  void abandon();

 private:
  SharedProgram program_;
  GlBuffer planned_, groups_;  // three uints to a step
  GLuint dispatches_ = 0;      // work groups of the program
};

}  // namespace sightglass
