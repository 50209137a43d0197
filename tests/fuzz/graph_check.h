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
    kUnfit,     // nothing can be said: numbers overflow, or so ill-conditioned that rounding alone changes everything
    kWrong,
  } kind = Kind::kEqual;
  std::string text;
};

// All settings are tried, with and without rewrites, and with one operator on the CPU.
Verdict check_graph(const GlApi& gl, const DeviceLimits& limits, const FuzzCase& fuzz);

}  // namespace sightglass::test
