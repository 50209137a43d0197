// Runs a case on the GPU. For the operator tests and the graph fuzzer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/internals.h"
#include "ops/op_case.h"
#include "sightglass/device.h"
#include "sightglass/gl_api.h"
#include "sightglass/session.h"

namespace sightglass::test {

// 16-bit floats have eleven significant bits: the NMSE of a tensor rounded to them is about 1e-7.
inline constexpr double kHalfTolerance = 1e-5;
// GPUs may flush values this small to zero, so they count as equal.
inline constexpr double kFlushed = 1e-37;

struct Setting {
  const char* name;
  bool minimum_limits;
  Precision precision;
  bool half_products = false;
};
inline constexpr Setting kSettings[] = {{"fp32", false, Precision::kFp32},
                                        {"fp32, minimum limits", true, Precision::kFp32},
                                        {"fp16", false, Precision::kFp16},
                                        {"fp16 products", false, Precision::kFp16, true}};

struct OpRun {
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Session> session;
  std::vector<HostTensor> outputs;
  std::string kernels;  // per step
};

// Plans the case, writes its inputs, runs it once, and reads its outputs. Uses guard bands around every tensor, and
// fails if one was overwritten.
Result<OpRun> run_on_gpu(const GlApi& gl, DeviceLimits limits, const OpCase& op, const Setting& setting,
                         ForcedPlanOptions options);

// Whether 16-bit floats represent every value of a tensor at full precision.
bool fits_half(const HostTensor& tensor);
void round_to_half(HostTensor& tensor);

// Whether data are quantized dynamically, so that the plan stores all real numbers in 32 bits.
bool has_dynamic_range(const Graph& graph);

// The case with inputs, weights, and operands rounded to 16-bit storage. Biases and slopes stay 32-bit floats. In
// dynamic-range quantized models, everything does.
OpCase rounded_to_half(OpCase op);

}  // namespace sightglass::test
