#include "sightglass/session.h"

#include <algorithm>

#include "error.h"
#include "handles.h"
#include "options.h"
#include "sightglass/color_matrix.h"
#include "sightglass/input_transform.h"

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

namespace {

static_assert(static_cast<int>(Fit::kStretch) == SIGHTGLASS_STRETCH);
static_assert(static_cast<int>(Fit::kLetterbox) == SIGHTGLASS_LETTERBOX);
static_assert(static_cast<int>(Fit::kCover) == SIGHTGLASS_COVER);

ColorMatrix color_matrix(SightglassColorSpace space, const SightglassFrame& frame) {
  const LumaWeights& weights = space == SIGHTGLASS_BT709 ? kBt709 : space == SIGHTGLASS_BT2020 ? kBt2020 : kBt601;
  const ColorMatrix matrix = ycbcr_to_rgb(weights, frame.full_range ? SampleRange::kFull : SampleRange::kLimited);
  return frame.swap_chroma ? with_chroma_swapped(matrix) : matrix;
}

Status check_visible(const float (&visible)[4]) {
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_finite(visible, "visible"));
  constexpr float kRounding = 1e-4F;
  const auto is_range = [](float low, float high) { return low >= -kRounding && low < high && high <= 1 + kRounding; };
  if (is_range(visible[0], visible[2]) && is_range(visible[1], visible[3])) return {};
  return invalid_argument(
      "visible is not a part of the frame; give its minimum x and y, then its maximum x and y, in "
      "[0,1]");
}

Result<FrameRef> read_frame(const SightglassFrame* frame) {
  SIGHTGLASS_RETURN_IF_ERROR(capi::require(frame, "frame"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const SightglassFrame read,
                              capi::read(frame, SightglassFrame SIGHTGLASS_FRAME_INIT, "SightglassFrame"));
  FrameRef result;
  SIGHTGLASS_ASSIGN_OR_RETURN(result.kind,
                              capi::enumerator<FrameKind>(read.kind, SIGHTGLASS_FRAME_THREE_PLANES, "kind"));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const auto space, capi::enumerator<SightglassColorSpace>(read.color_space, SIGHTGLASS_BT2020, "color_space"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.width, "width"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.height, "height"));
  if (read.chroma_width < 0 || read.chroma_height < 0) {
    return invalid_argument("the size of the chroma planes is " + std::to_string(read.chroma_width) + "x" +
                            std::to_string(read.chroma_height) + "; give 0 or positive numbers");
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_visible(read.visible));
  std::ranges::copy(read.textures, result.textures.begin());
  result.width = read.width;
  result.height = read.height;
  std::ranges::copy(read.visible, result.visible.begin());
  if (planes_of(result.kind) > 1) result.to_rgb = color_matrix(space, read);
  result.chroma_size = {read.chroma_width, read.chroma_height};
  return result;
}

// Runs `body` with the engine session.
template <typename Body>
SightglassStatus with_session(const SightglassSession* session, const char* action, const Body& body) {
  return capi::guard("the session", action, [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(session, "session"));
    return body(*session->session);
  });
}

}  // namespace

SightglassStatus sightglass_session_create(const SightglassDevice* device, const SightglassPlan* plan,
                                           SightglassSession** session) {
  return capi::guard("the session", "be created", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(device, "device"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(plan, "plan"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(session, "session"));
    SIGHTGLASS_ASSIGN_OR_RETURN(auto created, Session::create(device->group, plan->plan));
    *session = new SightglassSession{std::move(created)};
    return {};
  });
}

void sightglass_session_release(SightglassSession* session) { delete session; }

void sightglass_session_abandon(SightglassSession* session) {
  if (session != nullptr) session->session->abandon();
  delete session;
}

SightglassTransform sightglass_fit_transform(int32_t frame_width, int32_t frame_height, int32_t input_width,
                                             int32_t input_height, SightglassFit fit) {
  InputTransform transform;
  (void)capi::guard("the transform", "be computed", [&]() -> Status {
    for (const int32_t side : {frame_width, frame_height, input_width, input_height}) {
      SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(side, "a side of the frame or the input"));
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(const Fit valid, capi::enumerator<Fit>(fit, SIGHTGLASS_COVER, "fit"));
    transform = make_input_transform(frame_width, frame_height, input_width, input_height, valid);
    return {};
  });
  SightglassTransform result;
  std::ranges::copy(transform.m, result.m);
  return result;
}

SightglassStatus sightglass_session_set_input_frame(SightglassSession* session, size_t input,
                                                    const SightglassFrame* frame,
                                                    const SightglassTransform* transform) {
  return with_session(session, "take a frame", [&](Session& engine) -> Status {
    SIGHTGLASS_ASSIGN_OR_RETURN(const FrameRef read, read_frame(frame));
    InputTransform input_to_frame;
    if (transform != nullptr) {
      SIGHTGLASS_RETURN_IF_ERROR(capi::require_finite(transform->m, "transform"));
      std::ranges::copy(transform->m, input_to_frame.m.begin());
    }
    return engine.set_input_frame(input, read, input_to_frame);
  });
}

SightglassStatus sightglass_session_write_input(SightglassSession* session, size_t input, const void* data,
                                                size_t bytes) {
  return with_session(session, "upload an input", [&](Session& engine) -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(data, "data"));
    return engine.write_input(input, {static_cast<const std::byte*>(data), bytes});
  });
}

SightglassStatus sightglass_session_run(SightglassSession* session) {
  return with_session(session, "run", [](Session& engine) { return engine.run(); });
}

SightglassStatus sightglass_session_run_part(SightglassSession* session, double share, double* done) {
  return with_session(session, "run", [&](Session& engine) -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(done, "done"));
    SIGHTGLASS_ASSIGN_OR_RETURN(*done, engine.run_part(share));
    return {};
  });
}

SightglassStatus sightglass_session_reset_state(SightglassSession* session) {
  return with_session(session, "reset its state", [](Session& engine) { return engine.reset_state(); });
}

SightglassStatus sightglass_session_output_texture(const SightglassSession* session, size_t output,
                                                   SightglassTexture* texture) {
  return with_session(session, "return a texture", [&](const Session& engine) -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(texture, "texture"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const TextureRef result, engine.output_texture(output));
    *texture = {result.id, result.width, result.height};
    return {};
  });
}

SightglassStatus sightglass_session_output_buffer(const SightglassSession* session, size_t output,
                                                  SightglassBufferRange* range) {
  return with_session(session, "return a buffer", [&](const Session& engine) -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(range, "range"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange result, engine.output_buffer(output));
    *range = {result.buffer, result.offset, result.size};
    return {};
  });
}

SightglassStatus sightglass_session_read_output(SightglassSession* session, size_t output, void* data, size_t bytes) {
  return with_session(session, "read an output", [&](Session& engine) -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(data, "data"));
    return engine.read_output(output, {static_cast<std::byte*>(data), bytes});
  });
}
