#include "runtime/arena.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu_engine/quoted.h"
#include "plan/plan_data.h"

namespace sightglass {

GlBuffer make_buffer(const GlApi& gl, GLenum target, int64_t bytes, const void* data, GLenum usage) {
  GLuint id = 0;
  gl.GenBuffers(1, &id);
  gl.BindBuffer(target, id);
  gl.BufferData(target, static_cast<GLsizeiptr>(std::max<int64_t>(bytes, kBlockBytes)), nullptr, usage);
  if (data != nullptr) gl.BufferSubData(target, 0, static_cast<GLsizeiptr>(bytes), data);
  gl.BindBuffer(target, 0);
  return {gl, id};
}

namespace {

// Fills guard bands and initially the whole arena, with a NaN, to reveal reads of unwritten memory.
constexpr uint32_t kSentinel = 0x7fc0dead;

}  // namespace

void Arena::create(const GlApi& gl, const PlanData& plan) {
  gl_ = &gl;
  plan_ = &plan;
  buffer_ = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, plan.arena_size * kBlockBytes, nullptr, GL_DYNAMIC_COPY);
}

void Arena::write(int64_t offset, std::span<const std::byte> bytes) {
  gl_->BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer_.id());
  gl_->BufferSubData(GL_SHADER_STORAGE_BUFFER, static_cast<GLintptr>(offset * kBlockBytes),
                     static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  gl_->BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
}

void Arena::clear() {
  constexpr int64_t kPiece = int64_t{1} << 16;  // blocks
  const std::vector<std::byte> zeros(static_cast<size_t>(std::min(plan_->arena_size, kPiece) * kBlockBytes));
  for (int64_t at = 0; at < plan_->arena_size; at += kPiece) {
    const int64_t size = std::min(kPiece, plan_->arena_size - at) * kBlockBytes;
    write(at, std::span(zeros).first(static_cast<size_t>(size)));
  }
}

void Arena::fill() {
  if (plan_->sentinel_size > 0) {
    const std::vector<uint32_t> pattern(static_cast<size_t>(plan_->arena_size) * 4, kSentinel);
    write(0, std::as_bytes(std::span(pattern)));
  }
  for (const PlanTensor& tensor : plan_->tensors) {
    if (!tensor.contents.empty()) write(tensor.offset, tensor.contents);
  }
}

void Arena::fill_states() {
  for (const PlanState& state : plan_->states) {
    write(plan_->tensors[static_cast<size_t>(state.place.tensor)].offset, state.initial);
  }
}

Status Arena::read(int64_t offset, int64_t size, const std::function<void(const void*)>& use) const {
  const GlApi& gl = *gl_;
  clear_gl_errors(gl);
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer_.id());
  const void* mapped = gl.MapBufferRange(GL_SHADER_STORAGE_BUFFER, static_cast<GLintptr>(offset * kBlockBytes),
                                         static_cast<GLsizeiptr>(size * kBlockBytes), GL_MAP_READ_BIT);
  Status used;
  if (mapped != nullptr) {
    try {
      use(mapped);
    } catch (...) {
      used = status_of_exception("tensors", "read them back");
    }
    gl.UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
  }
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  SIGHTGLASS_RETURN_IF_ERROR(used);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "reading tensors back"));
  return mapped != nullptr ? Status() : device_error("the driver cannot map the tensors for reading");
}

Status Arena::check_sentinels() const {
  const int64_t band = plan_->sentinel_size;
  if (band == 0) return invalid_argument("the plan has no guard bands");
  std::string damaged;
  SIGHTGLASS_RETURN_IF_ERROR(read(0, plan_->arena_size, [&](const void* mapped) {
    const auto* words = static_cast<const uint32_t*>(mapped);
    const auto intact = [&](int64_t from) {
      return std::all_of(words + from * 4, words + (from + band) * 4, [](uint32_t w) { return w == kSentinel; });
    };
    for (const PlanTensor& tensor : plan_->tensors) {
      if (tensor.whole >= 0) continue;  // has no guard band
      if (!intact(tensor.offset - band) || !intact(tensor.offset + tensor.size)) damaged += " " + quote(tensor.name);
    }
  }));
  return damaged.empty() ? Status() : internal_error("a kernel wrote outside of the tensors" + damaged);
}

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
  view(kWeightsFloat32, !plan.weight_storages.empty(), constants, GL_RGBA32F);  // biases are such floats
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
