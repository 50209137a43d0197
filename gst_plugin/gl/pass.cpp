#include "gl/pass.h"

namespace sightglass {

Pass::~Pass() {
  for (GLuint unit = 0; unit < kImages; ++unit) {
    if (images_[unit] != 0) gl_.BindImageTexture(unit, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  }
  for (GLuint unit = 0; unit < kTextures; ++unit) {
    if (textures_[unit]) read(unit, 0, 0);
  }
  if (frame_) {
    unbind_frame(gl_, *frame_);
    active_ = 0;
  }
  activate(0);
  for (GLuint block = 0; block < kBlocks; ++block) {
    if (storage_[block]) gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, block, 0);
    if (uniforms_[block]) gl_.BindBufferBase(GL_UNIFORM_BUFFER, block, 0);
  }
  gl_.UseProgram(0);
}

void Pass::activate(GLuint unit) {
  if (active_ == unit) return;
  gl_.ActiveTexture(GL_TEXTURE0 + unit);
  active_ = unit;
}

void Pass::read(GLuint unit, GLuint texture, GLuint sampler) {
  std::optional<Texture>& bound = textures_.at(unit);
  if (!bound || bound->texture != texture) {
    activate(unit);
    gl_.BindTexture(GL_TEXTURE_2D, texture);
  }
  if (!bound || bound->sampler != sampler) gl_.BindSampler(unit, sampler);
  bound = {texture, sampler};
}

void Pass::read(const FrameRef& frame, GLuint sampler) {
  bind_frame(gl_, frame, sampler, sampler);
  active_ = 0;
  frame_ = frame.kind;
}

void Pass::write(GLuint unit, GLuint texture, GLenum format) {
  if (images_.at(unit) == texture) return;
  gl_.BindImageTexture(unit, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
  images_[unit] = texture;
}

void Pass::storage(GLuint block, const BufferRange& range) {
  gl_.BindBufferRange(GL_SHADER_STORAGE_BUFFER, block, range.buffer, range.offset, range.size);
  storage_.at(block) = true;
}

void Pass::dispatch(GLuint program, GLuint groups_x, GLuint groups_y) {
  if (program_ != program) {
    gl_.UseProgram(program);
    program_ = program;
  }
  gl_.DispatchCompute(groups_x, groups_y, 1);
  GLbitfield written = 0;
  for (const GLuint image : images_) {
    if (image != 0) written |= GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT;
  }
  for (const bool block : storage_) {
    if (block) written |= GL_SHADER_STORAGE_BARRIER_BIT;
  }
  gl_.MemoryBarrier(written);
}

}  // namespace sightglass
