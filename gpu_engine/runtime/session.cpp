#include "sightglass/session.h"

#include <cstddef>
#include <new>
#include <vector>

#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "kernel/tensors.h"
#include "runtime/session_impl.h"
#include "sightglass/empty_frame.h"

namespace sightglass {

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(const GlApi& gl, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options) try {
  return create(ShareGroup::create(gl, nullptr, {}, options.log), plan, options);
} catch (...) {
  return status_of_exception(plan->model().name(), "make a session");
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<ShareGroup> group, std::shared_ptr<const Plan> plan,
                                                 const SessionOptions& options) try {
  if (group == nullptr) throw std::bad_alloc();  // ShareGroup::create() ran out of memory
  auto impl = std::make_unique<Impl>(std::move(group), plan);
  SIGHTGLASS_RETURN_IF_ERROR(impl->build(options).with_context(impl->plan->model().name()));
  return std::unique_ptr<Session>(new Session(std::move(impl)));
} catch (...) {
  return status_of_exception(plan->model().name(), "make a session");
}

void Session::abandon() {
  for (SharedProgram& program : impl_->programs) program.abandon();
  impl_->constants.abandon();
  for (GlTexture& texture : impl_->outputs) texture.abandon();
  impl_->arena.abandon();
  impl_->gate.abandon();
  impl_->frames.abandon();
  impl_->sampler.abandon();
  impl_->buffer_textures.abandon();
  impl_->settled_samplers.abandon();
}

Status Session::set_input_frame(size_t input, const FrameRef& frame, const InputTransform& transform) try {
  SIGHTGLASS_RETURN_IF_ERROR(impl_->check_frame(input, frame));
  if (impl_->images(input) > 1) {
    return invalid_argument("input " + std::to_string(input) + " holds " + std::to_string(impl_->images(input)) +
                            " images, whose positions must be in a buffer");
  }
  Impl::InputFrame& entry = impl_->inputs[input];
  const FrameBlock block = frame_block(frame, transform);
  entry.block_is_new = entry.block_is_new || block != entry.block;
  entry.frame = frame;
  entry.block = block;
  entry.place_buffer = 0;
  return {};
} catch (...) {
  return status_of_exception(plan().model().name(), "set an input");
}

Status Session::set_input_frame(size_t input, const FrameRef& frame, GLuint place_buffer, GLintptr offset) try {
  SIGHTGLASS_RETURN_IF_ERROR(impl_->check_frame(input, frame));
  const int32_t alignment = impl_->data().limits.uniform_offset_alignment;
  if (place_buffer == 0 || offset < 0 || offset % alignment != 0) {
    return invalid_argument("input " + std::to_string(input) +
                            ": a position from a buffer needs a buffer and an offset that is a multiple of " +
                            std::to_string(alignment));
  }
  Impl::InputFrame& entry = impl_->inputs[input];
  entry.frame = frame;
  entry.place_buffer = place_buffer;
  entry.place_offset = offset;
  return {};
} catch (...) {
  return status_of_exception(plan().model().name(), "set an input");
}

Status Session::write_input(size_t input, std::span<const std::byte> bytes) try {
  Impl& s = *impl_;
  if (input >= s.data().inputs.size() || s.data().options.inputs[input].source != InputSpec::Source::kHost) {
    return invalid_argument("input " + std::to_string(input) + " was not planned as host-written (kHost)");
  }
  const TensorRef& ref = s.data().inputs[input];
  const PlanTensor& tensor = s.data().tensors[static_cast<size_t>(ref.tensor)];
  const TensorInfo& info = s.plan->model().inputs()[input];
  const auto expected = static_cast<size_t>(info.shape.elements()) * size_of(info.type);
  if (bytes.size() != expected) {
    return invalid_argument("input " + std::to_string(input) + " needs " + std::to_string(expected) + " bytes, not " +
                            std::to_string(bytes.size()));
  }
  s.next_step = 0;
  clear_gl_errors(s.gl);
  s.arena.write(tensor.offset, to_storage(ref.shape, tensor.storage, info.type, info.quantization, bytes));
  return check_gl(s.gl, "uploading an input");
} catch (...) {
  return status_of_exception(plan().model().name(), "write an input");
}

Result<BufferRange> Session::input_buffer(size_t input) const try {
  const PlanData& data = impl_->data();
  if (input >= data.input_buffers.size() || data.input_buffers[input] < 0) {
    return invalid_argument("input " + std::to_string(input) + " was not planned as a buffer");
  }
  const PlanTensor& tensor = data.tensors[static_cast<size_t>(data.input_buffers[input])];
  const int64_t bytes = impl_->plan->model().inputs()[input].shape.elements() * int64_t{sizeof(float)};
  return BufferRange{impl_->arena.id(), static_cast<GLintptr>(tensor.offset * kBlockBytes),
                     static_cast<GLsizeiptr>(bytes)};
} catch (...) {
  return status_of_exception(plan().model().name(), "return an input");
}

Status Session::run() try { return impl_->run(nullptr); } catch (...) {
  return status_of_exception(plan().model().name(), "run it");
}

Status Session::run_if(GLuint flag_buffer, GLintptr offset) try {
  SIGHTGLASS_RETURN_IF_ERROR(impl_->ask(flag_buffer, offset));
  impl_->next_step = 0;
  return impl_->issue(0, impl_->data().steps.size(), nullptr, true);
} catch (...) {
  return status_of_exception(plan().model().name(), "run it");
}

Result<double> Session::run_part(double share) try {
  if (impl_->next_step == 0) impl_->part_gated = false;
  return impl_->issue_part(share);
} catch (...) {
  return status_of_exception(plan().model().name(), "run it");
}

Result<double> Session::run_part_if(double share, GLuint flag_buffer, GLintptr offset) try {
  Impl& s = *impl_;
  if (s.next_step == 0) {
    SIGHTGLASS_RETURN_IF_ERROR(s.ask(flag_buffer, offset));
    s.part_gated = true;
  }
  return s.issue_part(share);
} catch (...) {
  return status_of_exception(plan().model().name(), "run it");
}

Result<std::vector<int64_t>> Session::profile(StepTimer& timer) try {
  SIGHTGLASS_RETURN_IF_ERROR(timer.begin(impl_->data().steps.size()).with_context(impl_->plan->model().name()));
  SIGHTGLASS_RETURN_IF_ERROR(impl_->run(&timer));
  return timer.finish();
} catch (...) {
  return status_of_exception(plan().model().name(), "profile it");
}

Status Session::reset_state() try {
  impl_->next_step = 0;
  if (impl_->data().states.empty()) return {};
  clear_gl_errors(impl_->gl);
  impl_->arena.fill_states();
  return check_gl(impl_->gl, "resetting the state of a model");
} catch (...) {
  return status_of_exception(plan().model().name(), "reset its state");
}

Result<TextureRef> Session::output_texture(size_t output) const try {
  if (output >= impl_->outputs.size() || !impl_->outputs[output]) {
    return invalid_argument("output " + std::to_string(output) + " was not planned as a texture");
  }
  const Bhwc& shape = impl_->data().outputs[output].shape;
  return TextureRef{impl_->outputs[output].id(), GL_TEXTURE_2D, shape.w, shape.h};
} catch (...) {
  return status_of_exception(plan().model().name(), "return an output");
}

Result<BufferRange> Session::output_buffer(size_t output) const try {
  const PlanData& data = impl_->data();
  if (output >= data.output_buffers.size() || data.output_buffers[output] < 0) {
    return invalid_argument("output " + std::to_string(output) + " was not planned as a buffer");
  }
  const PlanTensor& tensor = data.tensors[static_cast<size_t>(data.output_buffers[output])];
  const int64_t bytes = impl_->plan->model().outputs()[output].shape.elements() * int64_t{sizeof(float)};
  return BufferRange{impl_->arena.id(), static_cast<GLintptr>(tensor.offset * kBlockBytes),
                     static_cast<GLsizeiptr>(bytes)};
} catch (...) {
  return status_of_exception(plan().model().name(), "return an output");
}

Status Session::read_output(size_t output, std::span<std::byte> bytes) try {
  Impl& s = *impl_;
  if (output >= s.outputs.size() || s.data().options.outputs[output].target != OutputSpec::Target::kHost) {
    return invalid_argument("output " + std::to_string(output) + " was not planned as host-read (kHost)");
  }
  const TensorInfo& info = s.plan->model().outputs()[output];
  const auto expected = static_cast<size_t>(info.shape.elements()) * size_of(info.type);
  if (bytes.size() != expected) {
    return invalid_argument("output " + std::to_string(output) + " has " + std::to_string(expected) + " bytes, not " +
                            std::to_string(bytes.size()));
  }
  const TensorRef& ref = s.data().outputs[output];
  const PlanTensor& tensor = s.data().tensors[static_cast<size_t>(ref.tensor)];
  return s.arena.read(tensor.offset, tensor.size, [&](const void* mapped) {
    from_storage(ref.shape, tensor.storage, info.type, info.quantization, static_cast<const std::byte*>(mapped), bytes);
  });
} catch (...) {
  return status_of_exception(plan().model().name(), "read an output");
}

Status SessionInternals::check_sentinels(Session& session) try {
  return session.impl_->arena.check_sentinels();
} catch (...) {
  return status_of_exception(session.plan().model().name(), "check its memory");
}

const Plan& Session::plan() const { return *impl_->plan; }

EmptyFrame::EmptyFrame(const GlApi& gl, FrameKind kind, int32_t width, int32_t height) {
  const int32_t chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2;
  switch (kind) {
    case FrameKind::kRgba:
      textures_[0] = make_texture(gl, GL_RGBA8, width, height);
      break;
    case FrameKind::kExternal: {
      GLuint id = 0;
      gl.GenTextures(1, &id);
      textures_[0] = {gl, id};
      break;
    }
    case FrameKind::kTwoPlanes:
      textures_[0] = make_texture(gl, GL_R8, width, height);
      textures_[1] = make_texture(gl, GL_RG8, chroma_width, chroma_height);
      break;
    case FrameKind::kThreePlanes:
      textures_[0] = make_texture(gl, GL_R8, width, height);
      textures_[1] = make_texture(gl, GL_R8, chroma_width, chroma_height);
      textures_[2] = make_texture(gl, GL_R8, chroma_width, chroma_height);
      break;
  }
  ref_.kind = kind;
  for (size_t i = 0; i < textures_.size(); ++i) ref_.textures[i] = textures_[i].id();
  ref_.width = width;
  ref_.height = height;
  ref_.chroma_size = {chroma_width, chroma_height};
}

}  // namespace sightglass
