#include "gl/compute.h"

namespace sightglass {

GlBuffer make_storage(const GlApi& gl, GLsizeiptr size, const void* data) {
  GLuint id = 0;
  gl.GenBuffers(1, &id);
  GlBuffer buffer(gl, id);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
  gl.BufferData(GL_SHADER_STORAGE_BUFFER, size, data, GL_DYNAMIC_COPY);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  return buffer;
}

void dispatch(const GlApi& gl, GLuint program, std::initializer_list<BufferRange> storage, GLuint groups, GLuint rows) {
  gl.UseProgram(program);
  GLuint binding = 0;
  for (const BufferRange& range : storage) {
    gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, binding++, range.buffer, range.offset, range.size);
  }
  gl.DispatchCompute(groups, rows, 1);
  gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  while (binding > 0) gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, --binding, 0);
  for (const GLuint block : {kParamsBinding, kFrameBinding}) gl.BindBufferBase(GL_UNIFORM_BUFFER, block, 0);
  gl.UseProgram(0);
}

}  // namespace sightglass
