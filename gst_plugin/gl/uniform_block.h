// A uniform block in its own buffer, uploaded only when its content changes. Other threads may use the same programs,
// so state that differs between elements cannot be in them.
#pragma once

#include <optional>

#include "gl/objects.h"

namespace sightglass {

// `Content` has the std140 layout of the block and is comparable.
template <typename Content>
class UniformBlock {
 public:
  explicit UniformBlock(const GlApi& gl)
      : gl_(&gl), buffer_(make_buffer(gl, sizeof(Content), nullptr, GL_DYNAMIC_DRAW)) {}

  // Binds the block to `binding`, with `content`.
  void bind(GLuint binding, const Content& content) {
    gl_->BindBufferBase(GL_UNIFORM_BUFFER, binding, buffer_.id());  // also binds the buffer to the target
    if (content_ == content) return;
    gl_->BufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(Content), &content);
    content_ = content;
  }

 private:
  const GlApi* gl_;
  GlBuffer buffer_;
  std::optional<Content> content_;
};

}  // namespace sightglass
