#include "held_dispatches.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "fake_functions.h"

namespace sightglass::fake_driver {
namespace {

// More than the engine and the elements use.
constexpr GLuint kBlocks = 16, kTextureUnits = 16, kImageUnits = 8, kAttachments = 4;

struct Block {
  GLint buffer = 0;
  GLint64 start = 0, size = 0;
};

struct Texture {
  GLint plane = 0, buffer = 0, external = 0, sampler = 0;
};

struct Image {
  GLint texture = 0, level = 0, layered = 0, layer = 0, access = GL_READ_ONLY, format = GL_R32UI;
};

// What a dispatch reads from the context.
struct State {
  GLint program = 0, storage_buffer = 0, uniform_buffer = 0, indirect_buffer = 0, active_texture = GL_TEXTURE0;
  std::array<Block, kBlocks> storage, uniforms;
  std::array<Texture, kTextureUnits> textures;
  std::array<Image, kImageUnits> images;
};

struct Held {
  State state;
  bool indirect = false;
  GLuint x = 0, y = 0, z = 0;
  GLintptr offset = 0;
};

thread_local std::vector<Held> held;

GLint integer(GLenum name) {
  GLint value = 0;
  REAL(glGetIntegerv)(name, &value);
  return value;
}

GLint integer(GLenum name, GLuint index) {
  GLint value = 0;
  REAL(glGetIntegeri_v)(name, index, &value);
  return value;
}

Block block(GLenum binding, GLenum start, GLenum size, GLuint index) {
  Block found{integer(binding, index)};
  if (found.buffer == 0) return found;
  REAL(glGetInteger64i_v)(start, index, &found.start);
  REAL(glGetInteger64i_v)(size, index, &found.size);
  return found;
}

State state_of_context() {
  State state{integer(GL_CURRENT_PROGRAM),
              integer(GL_SHADER_STORAGE_BUFFER_BINDING),
              integer(GL_UNIFORM_BUFFER_BINDING),
              integer(GL_DISPATCH_INDIRECT_BUFFER_BINDING),
              integer(GL_ACTIVE_TEXTURE),
              {},
              {},
              {},
              {}};
  for (GLuint i = 0; i < kBlocks; ++i) {
    state.storage[i] =
        block(GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START, GL_SHADER_STORAGE_BUFFER_SIZE, i);
    state.uniforms[i] = block(GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE, i);
  }
  for (GLuint i = 0; i < kTextureUnits; ++i) {
    REAL(glActiveTexture)(GL_TEXTURE0 + i);
    state.textures[i] = {integer(GL_TEXTURE_BINDING_2D), integer(GL_TEXTURE_BINDING_BUFFER),
                         integer(GL_TEXTURE_BINDING_EXTERNAL_OES), integer(GL_SAMPLER_BINDING)};
  }
  REAL(glActiveTexture)(static_cast<GLenum>(state.active_texture));
  for (GLuint i = 0; i < kImageUnits; ++i) {
    Image& image = state.images[i];
    image.texture = integer(GL_IMAGE_BINDING_NAME, i);
    if (image.texture == 0) continue;
    image = {image.texture,
             integer(GL_IMAGE_BINDING_LEVEL, i),
             integer(GL_IMAGE_BINDING_LAYERED, i),
             integer(GL_IMAGE_BINDING_LAYER, i),
             integer(GL_IMAGE_BINDING_ACCESS, i),
             integer(GL_IMAGE_BINDING_FORMAT, i)};
  }
  return state;
}

void bind(GLenum target, GLuint index, const Block& block) {
  const auto buffer = static_cast<GLuint>(block.buffer);
  if (block.size > 0) {
    REAL(glBindBufferRange)(target, index, buffer, block.start, block.size);
  } else {
    REAL(glBindBufferBase)(target, index, buffer);
  }
}

// Binds what differs from `now`.
void enter(const State& state, const State& now) {
  const auto differs = [](const Block& a, const Block& b) {
    return a.buffer != b.buffer || a.start != b.start || a.size != b.size;
  };
  if (state.program != now.program) REAL(glUseProgram)(static_cast<GLuint>(state.program));
  for (GLuint i = 0; i < kBlocks; ++i) {
    if (differs(state.storage[i], now.storage[i])) bind(GL_SHADER_STORAGE_BUFFER, i, state.storage[i]);
    if (differs(state.uniforms[i], now.uniforms[i])) bind(GL_UNIFORM_BUFFER, i, state.uniforms[i]);
  }
  REAL(glBindBuffer)(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(state.storage_buffer));
  REAL(glBindBuffer)(GL_UNIFORM_BUFFER, static_cast<GLuint>(state.uniform_buffer));
  REAL(glBindBuffer)(GL_DISPATCH_INDIRECT_BUFFER, static_cast<GLuint>(state.indirect_buffer));
  for (GLuint i = 0; i < kTextureUnits; ++i) {
    const Texture &to = state.textures[i], &from = now.textures[i];
    REAL(glActiveTexture)(GL_TEXTURE0 + i);
    if (to.plane != from.plane) REAL(glBindTexture)(GL_TEXTURE_2D, static_cast<GLuint>(to.plane));
    if (to.buffer != from.buffer) REAL(glBindTexture)(GL_TEXTURE_BUFFER, static_cast<GLuint>(to.buffer));
    if (to.external != from.external) REAL(glBindTexture)(GL_TEXTURE_EXTERNAL_OES, static_cast<GLuint>(to.external));
    if (to.sampler != from.sampler) REAL(glBindSampler)(i, static_cast<GLuint>(to.sampler));
  }
  REAL(glActiveTexture)(static_cast<GLenum>(state.active_texture));
  for (GLuint i = 0; i < kImageUnits; ++i) {
    const Image& image = state.images[i];
    REAL(glBindImageTexture)
    (i, static_cast<GLuint>(image.texture), image.level, static_cast<GLboolean>(image.layered != 0), image.layer,
     static_cast<GLenum>(image.access), static_cast<GLenum>(image.format));
  }
}

bool samples(const Held& dispatch, GLint texture) {
  return std::ranges::any_of(dispatch.state.textures, [texture](const Texture& bound) {
    return bound.plane == texture || bound.external == texture;
  });
}

}  // namespace

void hold_dispatch(GLuint x, GLuint y, GLuint z) { held.push_back({state_of_context(), false, x, y, z, 0}); }

void hold_indirect_dispatch(GLintptr offset) { held.push_back({state_of_context(), true, 0, 0, 0, offset}); }

void run_held_dispatches() {
  if (held.empty()) return;
  const std::vector<Held> dispatches = std::exchange(held, {});
  const State own = state_of_context();
  const State* now = &own;
  for (auto dispatch = dispatches.rbegin(); dispatch != dispatches.rend(); ++dispatch) {
    enter(dispatch->state, *now);
    now = &dispatch->state;
    if (dispatch->indirect) {
      REAL(glDispatchComputeIndirect)(dispatch->offset);
    } else {
      REAL(glDispatchCompute)(dispatch->x, dispatch->y, dispatch->z);
    }
  }
  enter(own, *now);
}

bool draw_would_change_a_held_dispatch() {
  if (held.empty() || integer(GL_DRAW_FRAMEBUFFER_BINDING) == 0) return !held.empty();
  for (GLuint i = 0; i < kAttachments; ++i) {
    const GLenum attachment = GL_COLOR_ATTACHMENT0 + i;
    GLint type = GL_NONE, texture = 0;
    REAL(glGetFramebufferAttachmentParameteriv)
    (GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &type);
    if (type != GL_TEXTURE) continue;
    REAL(glGetFramebufferAttachmentParameteriv)
    (GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &texture);
    if (std::ranges::any_of(held, [texture](const Held& dispatch) { return samples(dispatch, texture); })) return true;
  }
  return false;
}

bool holds_program(GLuint program) {
  return std::ranges::any_of(
      held, [program](const Held& dispatch) { return dispatch.state.program == static_cast<GLint>(program); });
}

}  // namespace sightglass::fake_driver
