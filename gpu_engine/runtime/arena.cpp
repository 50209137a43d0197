#include "runtime/arena.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu_engine/exceptions.h"
#include "runtime/buffers.h"

namespace sightglass {

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
    write(plan_->tensors[static_cast<size_t>(state.tensor)].offset, state.initial);
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

}  // namespace sightglass
