// Compares kernels with the reference.
#pragma once

#include <initializer_list>

#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "ops/op_case.h"

namespace sightglass::test {

// Numbers of channels that fill vectors of four completely, partly, or not at all.
inline constexpr std::initializer_list<int> kChannels = {1, 3, 4, 5, 13, 16};

// Tolerances of check().
inline constexpr double kExact = 0;
inline constexpr double kFewQuanta = 1e-4;  // NMSE of one result in a hundred, off by one quantization step

class OpTest : public GlTest {
 public:
  // Runs the case on the GPU with the limits of the device, with the guaranteed minimums, and with 16-bit storage, with
  // guard bands around every tensor. Compares with the reference: NMSE at most `tolerance`, and 1e-5 with 16-bit
  // storage. `rewrites`: with the rewrites of Plan::build.
  void check(const OpCase& op, bool rewrites = false, double tolerance = 1e-9);
  // The same with other options; `options.precision` is set.
  void check_with(const OpCase& op, const ForcedPlanOptions& options, double tolerance = 1e-9);
};

}  // namespace sightglass::test
