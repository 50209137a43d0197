#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>

#include "gpu_engine/quoted.h"
#include "internal.h"
#include "sightglass/cache_folder.h"
#include "sightglass/color_matrix.h"
#include "sightglass/input_transform.h"
#include "sightglass/program_cache.h"
#include "sightglass/session.h"

namespace sightglass::capi {

namespace {

thread_local std::string last_error;

constexpr bool same(ErrorCode code, SightglassStatus status) {
  return static_cast<int>(code) == static_cast<int>(status);
}
static_assert(same(ErrorCode::kOk, SIGHTGLASS_OK) && same(ErrorCode::kInvalidArgument, SIGHTGLASS_INVALID_ARGUMENT) &&
              same(ErrorCode::kNotFound, SIGHTGLASS_NOT_FOUND) &&
              same(ErrorCode::kInvalidModel, SIGHTGLASS_INVALID_MODEL) &&
              same(ErrorCode::kUnsupported, SIGHTGLASS_UNSUPPORTED) &&
              same(ErrorCode::kResourceExhausted, SIGHTGLASS_RESOURCE_EXHAUSTED) &&
              same(ErrorCode::kDeviceError, SIGHTGLASS_DEVICE_ERROR) &&
              same(ErrorCode::kInternal, SIGHTGLASS_INTERNAL) &&
              same(ErrorCode::kOutOfMemory, SIGHTGLASS_OUT_OF_MEMORY) &&
              same(ErrorCode::kTimedOut, SIGHTGLASS_TIMED_OUT));

}  // namespace

SightglassStatus report(const Status& status) noexcept {
  if (status.ok()) return SIGHTGLASS_OK;
  try {
    last_error = status.message();
  } catch (...) {
    last_error.clear();
  }
  return static_cast<SightglassStatus>(status.code());
}

Status require(const void* pointer, const char* name) {
  return pointer != nullptr ? Status() : invalid_argument(std::string(name) + " is NULL");
}

Status require_positive(int64_t number, const char* name) {
  if (number > 0) return {};
  return invalid_argument(std::string(name) + " is " + std::to_string(number) + "; give a positive number");
}

Status require_finite(std::span<const float> numbers, const char* name) {
  const auto finite = [](float number) { return std::isfinite(number); };
  if (std::ranges::all_of(numbers, finite)) return {};
  return invalid_argument(std::string(name) + " has a number that is infinite or NaN; give finite numbers");
}

}  // namespace sightglass::capi

uint32_t sightglass_version(void) { return SIGHTGLASS_VERSION; }

const char* sightglass_last_error(void) { return sightglass::capi::last_error.c_str(); }

namespace sightglass::capi {

static_assert(static_cast<int>(LogLevel::kInfo) == SIGHTGLASS_LOG_INFO);
static_assert(static_cast<int>(LogLevel::kDebug) == SIGHTGLASS_LOG_DEBUG);
static_assert(static_cast<int>(LogLevel::kTrace) == SIGHTGLASS_LOG_TRACE);

Log make_log(const SightglassLog& log) {
  if (log.function == nullptr) return {};
  return Log(
      [log](LogLevel level, const std::string& message) {
        log.function(static_cast<SightglassLogLevel>(level), message.c_str(), log.user_data);
      },
      [log](LogLevel level) { return static_cast<unsigned>(level) <= static_cast<unsigned>(log.level); });
}

}  // namespace sightglass::capi

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

SightglassStatus sightglass_device_create(SightglassGetProcAddress get_proc_address, void* user_data,
                                          const SightglassDeviceOptions* options, SightglassDevice** device) {
  return capi::guard("the device", "be created", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(reinterpret_cast<const void*>(get_proc_address), "get_proc_address"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(device, "device"));
    SIGHTGLASS_ASSIGN_OR_RETURN(
        const SightglassDeviceOptions read,
        capi::read(options, SightglassDeviceOptions SIGHTGLASS_DEVICE_OPTIONS_INIT, "SightglassDeviceOptions"));
    const Log log = capi::make_log(read.log);
    SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, GlApi::load([=](const char* name) {
                                  return reinterpret_cast<void*>(get_proc_address(name, user_data));
                                }));
    auto result = std::make_unique<SightglassDevice>();
    SIGHTGLASS_ASSIGN_OR_RETURN(result->info, query_device(gl, log));
    result->name = device_name(result->info);
    std::shared_ptr<ProgramCache> cache;
    if (read.program_directory != nullptr) {
      SIGHTGLASS_RETURN_IF_ERROR(check_private_folder(read.program_directory));
      cache = std::make_shared<ProgramCache>(read.program_directory);
    }
    result->group = ShareGroup::create(gl, std::move(cache), {}, log);
    *device = result.release();
    return {};
  });
}

void sightglass_device_release(SightglassDevice* device) { delete device; }

const char* sightglass_device_name(const SightglassDevice* device) {
  const auto given = capi::guard("the device", "be named", [&] { return capi::require(device, "device"); });
  return given == SIGHTGLASS_OK ? device->name.c_str() : "";
}

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

namespace {

static_assert(static_cast<int>(DataType::kFloat32) == SIGHTGLASS_FLOAT32);
static_assert(static_cast<int>(DataType::kFloat16) == SIGHTGLASS_FLOAT16);
static_assert(static_cast<int>(DataType::kInt8) == SIGHTGLASS_INT8);
static_assert(static_cast<int>(DataType::kUInt8) == SIGHTGLASS_UINT8);
static_assert(static_cast<int>(DataType::kInt16) == SIGHTGLASS_INT16);
static_assert(static_cast<int>(DataType::kInt32) == SIGHTGLASS_INT32);
static_assert(static_cast<int>(DataType::kInt64) == SIGHTGLASS_INT64);
static_assert(static_cast<int>(DataType::kBool) == SIGHTGLASS_BOOL);
static_assert(Shape::kMaxRank == SIGHTGLASS_MAX_RANK);

Result<ModelOptions> read_options(const SightglassModelOptions* options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const SightglassModelOptions read,
      capi::read(options, SightglassModelOptions SIGHTGLASS_MODEL_OPTIONS_INIT, "SightglassModelOptions"));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const auto shapes, capi::read_array(read.input_shapes, read.input_shape_count,
                                          SightglassInputShape SIGHTGLASS_INPUT_SHAPE_INIT, "SightglassInputShape"));
  ModelOptions result;
  result.log = capi::make_log(read.log);
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.memory_limit, "memory_limit"));
  result.memory_limit = read.memory_limit;
  if (read.signature != nullptr) result.signature = read.signature;
  for (const SightglassInputShape& shape : shapes) {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(shape.input, "SightglassInputShape: input"));
    if (shape.rank < 0 || shape.rank > SIGHTGLASS_MAX_RANK) {
      return invalid_argument("SightglassInputShape: rank is " + std::to_string(shape.rank) + "; give 0 to " +
                              std::to_string(SIGHTGLASS_MAX_RANK));
    }
    const Shape dims(std::span<const int32_t>(shape.dims, static_cast<size_t>(shape.rank)));
    result.input_shapes.push_back({shape.input, dims});
  }
  return result;
}

Status describe(const std::vector<TensorInfo>& tensors, size_t index, const char* kind, SightglassTensorInfo* info) {
  if (index >= tensors.size()) {
    return invalid_argument(std::string(kind) + " " + std::to_string(index) + " does not exist: the model has " +
                            std::to_string(tensors.size()));
  }
  const TensorInfo& tensor = tensors[index];
  SightglassTensorInfo result = SIGHTGLASS_TENSOR_INFO_INIT;
  result.name = tensor.name.c_str();
  result.type = static_cast<SightglassDataType>(tensor.type);
  result.rank = tensor.shape.rank();
  std::ranges::copy(tensor.shape.dims(), result.dims);
  result.bytes = static_cast<size_t>(tensor.shape.elements()) * size_of(tensor.type);
  if (!tensor.quantization.empty()) {
    result.scale = tensor.quantization.scale[0];
    result.zero_point = tensor.quantization.zero_point.empty() ? 0 : tensor.quantization.zero_point[0];
  }
  return capi::write(result, info, "SightglassTensorInfo");
}

bool is_given(const SightglassModel* model) {
  return capi::guard("the model", "be described", [&] { return capi::require(model, "model"); }) == SIGHTGLASS_OK;
}

}  // namespace

SightglassStatus sightglass_model_load_file(const char* path, const SightglassModelOptions* options,
                                            SightglassModel** model) {
  return capi::guard("the model", "be loaded", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(path, "path"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const ModelOptions read, read_options(options));
    SIGHTGLASS_ASSIGN_OR_RETURN(auto loaded, Model::load(path, read));
    *model = new SightglassModel{std::move(loaded)};
    return {};
  });
}

SightglassStatus sightglass_model_load_memory(const void* data, size_t bytes, const char* name,
                                              const SightglassModelOptions* options, SightglassModel** model) {
  return capi::guard("the model", "be loaded", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(data, "data"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(name, "name"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const ModelOptions read, read_options(options));
    const std::span<const std::byte> file(static_cast<const std::byte*>(data), bytes);
    SIGHTGLASS_ASSIGN_OR_RETURN(auto loaded, Model::load(file, name, read));
    *model = new SightglassModel{std::move(loaded)};
    return {};
  });
}

void sightglass_model_release(SightglassModel* model) { delete model; }

size_t sightglass_model_input_count(const SightglassModel* model) {
  return is_given(model) ? model->model->inputs().size() : 0;
}

size_t sightglass_model_output_count(const SightglassModel* model) {
  return is_given(model) ? model->model->outputs().size() : 0;
}

SightglassStatus sightglass_model_input(const SightglassModel* model, size_t input, SightglassTensorInfo* info) {
  return capi::guard("the input", "be described", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    return describe(model->model->inputs(), input, "input", info);
  });
}

SightglassStatus sightglass_model_output(const SightglassModel* model, size_t output, SightglassTensorInfo* info) {
  return capi::guard("the output", "be described", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    return describe(model->model->outputs(), output, "output", info);
  });
}

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

namespace {

Result<InputSpec> read_input(const SightglassInputOptions& input) {
  InputSpec result;
  SIGHTGLASS_ASSIGN_OR_RETURN(result.source,
                              capi::enumerator<InputSpec::Source>(input.source, SIGHTGLASS_INPUT_TEXTURE, "source"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result.frame,
                              capi::enumerator<FrameKind>(input.frame, SIGHTGLASS_FRAME_THREE_PLANES, "frame"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_finite(input.scale, "scale"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_finite(input.offset, "offset"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_finite(input.padding, "padding"));
  std::ranges::copy(input.scale, result.scale.begin());
  std::ranges::copy(input.offset, result.offset.begin());
  std::ranges::copy(input.padding, result.padding.begin());
  return result;
}

Result<OutputSpec> read_output(const SightglassOutputOptions& output) {
  OutputSpec result;
  SIGHTGLASS_ASSIGN_OR_RETURN(result.target,
                              capi::enumerator<OutputSpec::Target>(output.target, SIGHTGLASS_OUTPUT_NONE, "target"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result.conversion, capi::enumerator<OutputSpec::Conversion>(
                                                     output.conversion, SIGHTGLASS_PROBABILITY, "conversion"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result.activation,
                              capi::enumerator<OutputActivation>(output.activation, SIGHTGLASS_SOFTMAX, "activation"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result.format,
                              capi::enumerator<TextureFormat>(output.format, SIGHTGLASS_RGBA32F, "format"));
  if (output.class_count > 0) {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(output.classes, "classes"));
    result.classes.assign(output.classes, output.classes + output.class_count);
  }
  return result;
}

Result<PlanOptions> read_options(const SightglassPlanOptions* options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const SightglassPlanOptions read,
      capi::read(options, SightglassPlanOptions SIGHTGLASS_PLAN_OPTIONS_INIT, "SightglassPlanOptions"));
  PlanOptions result;
  result.log = capi::make_log(read.log);
  SIGHTGLASS_ASSIGN_OR_RETURN(result.precision,
                              capi::enumerator<Precision>(read.precision, SIGHTGLASS_FP16, "precision"));
  result.fallback = read.cpu_fallback ? Fallback::kCpu : Fallback::kError;
  result.keep_state = !read.reset_state;
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.memory_limit, "memory_limit"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.dispatch_limit, "dispatch_limit"));
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.run_limit, "run_limit"));
  result.resources = {read.memory_limit, std::chrono::nanoseconds(read.dispatch_limit),
                      std::chrono::nanoseconds(read.run_limit)};
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto inputs, capi::read_array(read.inputs, read.input_count,
                                                                  SightglassInputOptions SIGHTGLASS_INPUT_OPTIONS_INIT,
                                                                  "SightglassInputOptions"));
  for (const SightglassInputOptions& input : inputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(InputSpec spec, read_input(input));
    result.inputs.push_back(spec);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const auto outputs,
      capi::read_array(read.outputs, read.output_count, SightglassOutputOptions SIGHTGLASS_OUTPUT_OPTIONS_INIT,
                       "SightglassOutputOptions"));
  for (const SightglassOutputOptions& output : outputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(OutputSpec spec, read_output(output));
    result.outputs.push_back(std::move(spec));
  }
  return result;
}

}  // namespace

SightglassStatus sightglass_plan_build(const SightglassModel* model, const SightglassDevice* device,
                                       const SightglassPlanOptions* options, SightglassPlan** plan) {
  return capi::guard("the plan", "be built", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(device, "device"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(plan, "plan"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const PlanOptions read, read_options(options));
    SIGHTGLASS_ASSIGN_OR_RETURN(auto built, Plan::build(model->model, device->info.limits, read));
    *plan = new SightglassPlan{std::move(built)};
    return {};
  });
}

void sightglass_plan_release(SightglassPlan* plan) { delete plan; }

SightglassStatus sightglass_plan_info(const SightglassPlan* plan, SightglassPlanInfo* info) {
  return capi::guard("the plan", "be described", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(plan, "plan"));
    const Plan& built = *plan->plan;
    const MemoryReport& memory = built.memory();
    SightglassPlanInfo result = SIGHTGLASS_PLAN_INFO_INIT;
    result.gpu_bytes = memory.arena_bytes + memory.constant_bytes + memory.output_bytes + memory.weight_bytes;
    result.dispatches = built.dispatches();
    result.programs = built.programs();
    result.transferred_bytes = built.fallback().bytes_read + built.fallback().bytes_written;
    return capi::write(result, info, "SightglassPlanInfo");
  });
}

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
