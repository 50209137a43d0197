// Reads buffers that shaders have written.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "sightglass/gl_api.h"
#include "sightglass/session.h"

namespace sightglass::test {

// As many elements as the range has room for. Waits for the GPU.
template <typename Element>
std::vector<Element> read_buffer(const GlApi& gl, const BufferRange& range) {
  static_assert(std::is_trivially_copyable_v<Element>);
  std::vector<Element> elements(static_cast<size_t>(range.size) / sizeof(Element));
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl.BindBuffer(GL_COPY_READ_BUFFER, range.buffer);
  const void* mapped = gl.MapBufferRange(GL_COPY_READ_BUFFER, range.offset, range.size, GL_MAP_READ_BIT);
  EXPECT_NE(mapped, nullptr);
  if (mapped != nullptr) std::memcpy(elements.data(), mapped, elements.size() * sizeof(Element));
  gl.UnmapBuffer(GL_COPY_READ_BUFFER);
  gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
  return elements;
}

}  // namespace sightglass::test
