#include "runtime/buffer_textures.h"

#include <algorithm>

namespace sightglass {

void BufferTextures::create(const GlApi& gl, const PlanData& plan, GLuint arena, GLuint constants) {
  if (!plan.buffer_textures) return;
  const auto has = [&plan](Storage storage) {
    return std::ranges::any_of(plan.tensors, [storage](const PlanTensor& t) { return t.storage == storage; });
  };
  const auto view = [&](View which, bool wanted, GLuint buffer, GLenum format) {
    if (!wanted) return;
    GLuint id = 0;
    gl.GenTextures(1, &id);
    textures_[which] = GlTexture(gl, id);
    gl.BindTexture(GL_TEXTURE_BUFFER, id);
    gl.TexBuffer(GL_TEXTURE_BUFFER, format, buffer);
  };
  view(kArenaFloat32, has(Storage::kFloat32), arena, GL_RGBA32F);
  view(kArenaFloat16, has(Storage::kFloat16), arena, GL_RGBA16F);
  view(kArenaInt32, has(Storage::kInt32), arena, GL_RGBA32I);
  view(kWeightsFloat32, plan.weight_storages.contains(Storage::kFloat32), constants, GL_RGBA32F);
  view(kWeightsFloat16, plan.weight_storages.contains(Storage::kFloat16), constants, GL_RGBA16F);
  view(kWeightsInt8, plan.weight_storages.contains(Storage::kInt8), constants, GL_RGBA8I);
  gl.BindTexture(GL_TEXTURE_BUFFER, 0);
}

void BufferTextures::bind(const GlApi& gl) const { bind_all(gl, true); }

void BufferTextures::unbind(const GlApi& gl) const {
  if (bind_all(gl, false)) gl.ActiveTexture(GL_TEXTURE0);
}

bool BufferTextures::bind_all(const GlApi& gl, bool bound) const {
  bool any = false;
  for (size_t i = 0; i < textures_.size(); ++i) {
    if (!textures_[i]) continue;
    any = true;
    gl.ActiveTexture(GL_TEXTURE0 + kUnits[i]);
    gl.BindTexture(GL_TEXTURE_BUFFER, bound ? textures_[i].id() : 0);
  }
  return any;
}

void BufferTextures::abandon() {
  for (GlTexture& texture : textures_) texture.abandon();
}

}  // namespace sightglass
