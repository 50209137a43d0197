#include "plan/windows.h"

#include <algorithm>
#include <span>

namespace sightglass {

namespace {

bool uses(std::span<const int> tensors, int tensor) { return std::ranges::find(tensors, tensor) != tensors.end(); }

// The tensors that a step uses through each storage block, in the order of Step::windows.
using Operands = std::array<std::vector<int>, kArenaBlocks>;

// Kernels read the first input through one block and the second through another, and write through a third. Those with
// more inputs choose the block themselves, so both must cover all inputs. An input that is an output as well has one
// place in the parameters of the step, so all blocks must cover everything.
Operands operands_of(const Step& step) {
  const std::vector<int> inputs(step.reads.begin(), step.reads.begin() + step.input_tensors);
  if (std::ranges::any_of(inputs, [&](int input) { return uses(step.writes, input); })) {
    std::vector<int> all = inputs;
    all.insert(all.end(), step.writes.begin(), step.writes.end());
    return {all, all, all};
  }
  if (inputs.size() != 2) return {inputs, inputs, step.writes};
  return {std::vector{inputs[0]}, std::vector{inputs[1]}, step.writes};
}

// The smallest window over the tensors that may be bound.
ArenaWindow window_over(const PlanData& plan, const std::vector<int>& tensors) {
  if (tensors.empty()) return {};
  int64_t begin = INT64_MAX, end = 0;
  for (const int id : tensors) {
    const PlanTensor& tensor = plan.tensors[static_cast<size_t>(id)];
    begin = std::min(begin, tensor.offset);
    end = std::max(end, tensor.offset + tensor.size);
  }
  const int64_t alignment = std::max<int64_t>(plan.limits.storage_offset_alignment / kBlockBytes, 1);
  begin = begin / alignment * alignment;
  return {begin, end - begin};
}

}  // namespace

int64_t window_base(const Step& step, int tensor) {
  if (uses(step.writes, tensor)) return step.windows[kOutputBlock].offset;
  const bool is_first = step.input_tensors > 0 && step.reads.front() == tensor;
  return step.windows[is_first ? kInputABlock : kInputBBlock].offset;
}

Status plan_windows(PlanData& plan) {
  for (Step& step : plan.steps) {
    const Operands operands = operands_of(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      step.windows[i] = window_over(plan, operands[i]);
      const int64_t bytes = step.windows[i].size * kBlockBytes;
      if (bytes > plan.limits.max_storage_block_bytes) {
        return resource_exhausted(step.node + ": its tensors span " + std::to_string(bytes) +
                                  " bytes, but a storage block of this device has at most " +
                                  std::to_string(plan.limits.max_storage_block_bytes));
      }
    }
  }
  return {};
}

}  // namespace sightglass
