// Compares a random graph on the GPU with the reference.
#pragma once

#include <string>

#include "fuzz/graph_generator.h"
#include "ops/op_run.h"

namespace sightglass::test {

struct Verdict {
  enum class Kind : uint8_t {
    kEqual,
    kDeclined,  // the plan names a reason
    kUnfit,     // not comparable: values overflow, or are so ill-conditioned that rounding changes everything
    kWrong,
  } kind = Kind::kEqual;
  std::string text;
};

// Tries all settings, with and without rewrites, and with one operator on the CPU.
Verdict check_graph(const GlApi& gl, const DeviceLimits& limits, const FuzzCase& fuzz);

}  // namespace sightglass::test
