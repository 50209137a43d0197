// The kernel registry: every operator has a kernel, and every kernel is complete.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/emitter.h"
#include "ops/ops.h"

namespace sightglass::test {
namespace {

TEST(Kernels, EveryOperatorHasOne) {
  for (const OpType op : all_ops()) {
    EXPECT_NE(std::ranges::count(all_kernels(), op, &Kernel::op), 0) << to_string(op);
  }
}

TEST(Kernels, NoneIsIncomplete) {
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_NE(kernel.supports, nullptr) << kernel.name;
    EXPECT_NE(kernel.emit, nullptr) << kernel.name;
    EXPECT_NE(kernel.variants, nullptr) << kernel.name;
  }
}

}  // namespace
}  // namespace sightglass::test
