#include <algorithm>
#include <chrono>

#include "error.h"
#include "handles.h"
#include "options.h"

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
