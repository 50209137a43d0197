// Compares kernels with the reference.
#pragma once

#include "gpu_engine/plan_internals.h"
#include "harness/gl_test.h"
#include "ops/op_case.h"

namespace sightglass::test {

class OpTest : public GlTest {
 protected:
  // Runs the case on the GPU with the limits of the device, with the guaranteed minimums, and with 16-bit storage, with
  // guard bands around every tensor. Compares with the reference: NMSE at most `tolerance`, and 1e-5 with 16-bit
  // storage. `rewrites`: with the rewrites of Plan::build.
  void check(const OpCase& op, bool rewrites = false, double tolerance = 1e-9);
  // The same with other options; `options.precision` is set.
  void check_with(const OpCase& op, const ForcedPlanOptions& options, double tolerance = 1e-9);
};

}  // namespace sightglass::test
