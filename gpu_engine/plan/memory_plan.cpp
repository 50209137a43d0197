#include <algorithm>
#include <functional>
#include <random>
#include <span>

#include "graph/stable_sort.h"
#include "plan/planner.h"

namespace sightglass {

namespace {

// Properties of a tensor that matter for its placement. Attempts copy only these.
struct Region {
  int64_t size = 0, offset = 0;  // blocks
  int first_level = 0, last_level = 0;
};
using Regions = std::vector<Region>;  // by tensor

bool overlap_in_time(const Region& a, const Region& b) {
  return a.first_level <= b.last_level && b.first_level <= a.last_level;
}

// Places tensors in the given order, each into the smallest gap between already placed tensors that are live at the
// same time. Returns the size of the arena.
int64_t place_in_order(Regions& regions, const std::vector<size_t>& order) {
  std::vector<size_t> placed;  // by offset
  placed.reserve(order.size());
  int64_t size = 0;
  for (const size_t id : order) {
    Region& region = regions[id];
    int64_t best = -1, best_gap = INT64_MAX, end = 0;
    for (const size_t other : placed) {
      if (!overlap_in_time(region, regions[other])) continue;
      const int64_t gap = regions[other].offset - end;
      if (gap >= region.size && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, regions[other].offset + regions[other].size);
    }
    region.offset = best >= 0 ? best : end;
    size = std::max(size, region.offset + region.size);
    placed.insert(std::ranges::upper_bound(placed, region.offset, {}, [&](size_t i) { return regions[i].offset; }), id);
  }
  return size;
}

// Whether it has its own region that others may use before and after.
bool is_activation(const PlanTensor& tensor) { return tensor.contents.empty() && tensor.whole < 0 && !tensor.exported; }

// The peak of live bytes is a lower bound for every layout.
int64_t lower_bound(const PlanData& plan) {
  std::vector<int64_t> alive(static_cast<size_t>(plan.levels) + 1, 0);
  for (const PlanTensor& tensor : plan.tensors) {
    if (!is_activation(tensor)) continue;
    for (int level = tensor.first_level; level <= tensor.last_level; ++level) {
      alive[static_cast<size_t>(level)] += tensor.size;
    }
  }
  return *std::ranges::max_element(alive);
}

// A layout and the placement order that produced it.
struct Layout {
  Regions regions;
  std::vector<size_t> order;
  int64_t size = INT64_MAX;
};

Layout lay_out(const Regions& regions, std::vector<size_t> order) {
  Layout layout{regions, std::move(order)};
  layout.size = place_in_order(layout.regions, layout.order);
  return layout;
}

// Randomly moves one tensor in the order, deterministically, and keeps results that are not worse.
void climb(Layout& best, const Regions& regions, int64_t bound, size_t attempts) {
  std::minstd_rand random(1);
  for (size_t i = 0; i < attempts && best.size > bound; ++i) {
    std::vector<size_t> order = best.order;
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(random() % order.size());
    const auto to = order.begin() + static_cast<std::ptrdiff_t>(random() % order.size());
    if (from < to) {
      std::rotate(from, from + 1, to + 1);
    } else {
      std::rotate(to, from, from + 1);
    }
    Layout attempt = lay_out(regions, std::move(order));
    if (attempt.size <= best.size) best = std::move(attempt);
  }
}

// Tries several orders and improves each: the tensor at the end of the arena goes first in the next attempt. Then
// improves the best order further. Stops at the lower bound, or when the budget of comparisons is spent. Places the
// activations and returns their total size.
int64_t pack(std::vector<PlanTensor>& tensors, const std::vector<size_t>& activations, int64_t bound) {
  constexpr size_t kBudget = 20'000'000;
  const size_t attempts = std::clamp<size_t>(kBudget / (activations.size() * activations.size() + 1), 1, 3000);

  const auto life = [&](size_t i) { return tensors[i].last_level - tensors[i].first_level; };
  std::vector<size_t> by_size = activations;
  stable_sort_by(
      by_size, [&](size_t i) { return tensors[i].size; }, std::greater());
  std::vector<size_t> by_time = by_size, by_life = by_size;
  stable_sort_by(by_time, [&](size_t i) { return tensors[i].first_level; });
  stable_sort_by(by_life, life, std::greater());

  Regions regions;
  for (const PlanTensor& t : tensors) regions.push_back({t.size, 0, t.first_level, t.last_level});
  Layout best;
  for (std::vector<size_t> order : {by_size, by_time, by_life}) {
    for (size_t i = 0; i < attempts / 100 + 1 && best.size > bound; ++i) {
      Layout attempt = lay_out(regions, order);
      const auto last = std::ranges::find_if(
          order, [&](size_t id) { return attempt.regions[id].offset + attempt.regions[id].size == attempt.size; });
      if (attempt.size < best.size) best = std::move(attempt);
      if (last != order.end()) std::rotate(order.begin(), last, last + 1);
    }
  }
  if (activations.empty()) return 0;
  climb(best, regions, bound, attempts);
  for (const size_t id : activations) tensors[id].offset = best.regions[id].offset;
  return best.size;
}

// Constants follow the activations, in a separate part of the arena.
int64_t place_constants(std::vector<PlanTensor>& tensors, int64_t from) {
  for (PlanTensor& tensor : tensors) {
    if (tensor.contents.empty()) continue;
    tensor.offset = from;
    from += tensor.size;
  }
  return from;
}

// Next valid start of an output range.
int64_t aligned(int64_t block) {
  constexpr int64_t kBlocks = kOutputAlignment / kBlockBytes;
  return (block + kBlocks - 1) / kBlocks * kBlocks;
}

// Inputs and outputs as buffers come last: nothing else is placed in their memory.
int64_t place_buffers(std::vector<PlanTensor>& tensors, int64_t from) {
  for (PlanTensor& tensor : tensors) {
    if (!tensor.exported) continue;
    tensor.offset = aligned(from);
    from = tensor.offset + tensor.size;
  }
  return from;
}

// For tests: each tensor separately, with a guard band around it.
int64_t place_with_sentinels(std::vector<PlanTensor>& tensors, int64_t band) {
  int64_t end = band;
  for (PlanTensor& tensor : tensors) {
    if (tensor.whole >= 0) continue;
    tensor.offset = tensor.exported ? aligned(end) : end;
    end = tensor.offset + tensor.size + band;
  }
  return end;
}

void place_parts(std::vector<PlanTensor>& tensors) {
  for (PlanTensor& part : tensors) {
    int64_t place = part.place_in_whole;
    for (int whole = part.whole; whole >= 0;) {
      const PlanTensor& tensor = tensors[static_cast<size_t>(whole)];
      place += tensor.whole >= 0 ? tensor.place_in_whole : tensor.offset;
      whole = tensor.whole;
    }
    if (part.whole >= 0) part.offset = place;
  }
}

}  // namespace

Status plan_memory(PlanData& plan) {
  std::vector<size_t> activations;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    if (is_activation(plan.tensors[i])) activations.push_back(i);
  }
  const int64_t activation_size = pack(plan.tensors, activations, lower_bound(plan));

  plan.memory.arena_bytes = activation_size * kBlockBytes;
  plan.memory.lower_bound_bytes = lower_bound(plan) * kBlockBytes;
  for (const PlanTensor& tensor : plan.tensors) {
    if (tensor.whole >= 0) continue;
    int64_t& sum = tensor.exported           ? plan.memory.output_bytes
                   : tensor.contents.empty() ? plan.memory.tensor_bytes
                                             : plan.memory.constant_bytes;
    sum += tensor.size * kBlockBytes;
  }
  plan.memory.weight_bytes = static_cast<int64_t>(plan.weights.size());

  plan.sentinel_size = static_cast<int>(plan.options.sentinel_bytes / kBlockBytes);
  plan.arena_size = plan.sentinel_size > 0
                        ? place_with_sentinels(plan.tensors, plan.sentinel_size)
                        : place_buffers(plan.tensors, place_constants(plan.tensors, activation_size));
  place_parts(plan.tensors);
  if (plan.memory.weight_bytes > plan.limits.max_storage_block_bytes) {
    return resource_exhausted("the weights take " + std::to_string(plan.memory.weight_bytes) +
                              " bytes, but a storage block of this device has at most " +
                              std::to_string(plan.limits.max_storage_block_bytes));
  }
  plan.has_windows = plan.arena_size * kBlockBytes > plan.limits.max_storage_block_bytes;
  return {};
}

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
