// Finds allocations that failed while many GL objects were created.
#pragma once

#include "sightglass/gl_api.h"
#include "sightglass/status.h"

namespace sightglass {

// Parts that are created one after the other each discard the GL errors from before their own (clear_gl_errors()).
// While this object exists, a GL_OUT_OF_MEMORY that is discarded on this thread is noted. Clears earlier errors.
class AllocationScope {
 public:
  explicit AllocationScope(const GlApi& gl);
  ~AllocationScope();
  AllocationScope(const AllocationScope&) = delete;
  AllocationScope& operator=(const AllocationScope&) = delete;

  // Ok, or that an allocation failed during `what`.
  Status check(const char* what) const;

  // Whether an allocation failed in a scope of this thread: it is the cause of errors that follow.
  static bool has_failed();
  // Called for each GL error that is discarded.
  static void note_discarded(GLenum error);

 private:
  const GlApi& gl_;
  AllocationScope* outer_;
  bool failed_ = false;
};

}  // namespace sightglass
