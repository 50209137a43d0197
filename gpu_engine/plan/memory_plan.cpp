#include <algorithm>

#include "plan/schedule.h"

namespace sightglass {

namespace {

bool overlap_in_time(const PlanTensor& a, const PlanTensor& b) {
  return a.first_level <= b.last_level && b.first_level <= a.last_level;
}

// Places tensors in the given order, each into the smallest gap between those that are alive with it and placed
// already. Returns the size of the arena.
int64_t place_in_order(std::vector<PlanTensor>& tensors, const std::vector<size_t>& order) {
  std::vector<size_t> placed;  // by offset
  int64_t size = 0;
  for (const size_t id : order) {
    PlanTensor& tensor = tensors[id];
    int64_t best = -1, best_gap = INT64_MAX, end = 0;
    for (const size_t other : placed) {
      if (!overlap_in_time(tensor, tensors[other])) continue;
      const int64_t gap = tensors[other].offset - end;
      if (gap >= tensor.size && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, tensors[other].offset + tensors[other].size);
    }
    tensor.offset = best >= 0 ? best : end;
    size = std::max(size, tensor.offset + tensor.size);
    placed.insert(std::ranges::upper_bound(placed, tensor.offset, {}, [&](size_t i) { return tensors[i].offset; }), id);
  }
  return size;
}

// No layout can do with less than what is alive at once.
int64_t lower_bound(const PlanData& plan) {
  std::vector<int64_t> alive(static_cast<size_t>(plan.levels) + 1, 0);
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.contents.empty()) continue;
    for (int level = tensor.first_level; level <= tensor.last_level; ++level) {
      alive[static_cast<size_t>(level)] += tensor.size;
    }
  }
  return *std::ranges::max_element(alive);
}

// Tries several orders and improves each: the tensor that sticks out at the end of the arena goes first in the next
// attempt. Ends at the lower bound, or when the budget of comparisons is spent.
std::vector<PlanTensor> pack(const std::vector<PlanTensor>& tensors, const std::vector<size_t>& activations,
                             int64_t bound, int64_t* size) {
  constexpr size_t kBudget = 20'000'000;
  const size_t attempts = std::clamp<size_t>(kBudget / (activations.size() * activations.size() + 1), 1, 300);

  const auto life = [&](size_t i) { return tensors[i].last_level - tensors[i].first_level; };
  std::vector<size_t> by_size = activations;
  std::ranges::stable_sort(by_size, [&](size_t a, size_t b) { return tensors[a].size > tensors[b].size; });
  std::vector<size_t> by_time = by_size, by_life = by_size;
  std::ranges::stable_sort(by_time,
                           [&](size_t a, size_t b) { return tensors[a].first_level < tensors[b].first_level; });
  std::ranges::stable_sort(by_life, [&](size_t a, size_t b) { return life(a) > life(b); });

  std::vector<PlanTensor> best = tensors;
  *size = INT64_MAX;
  for (std::vector<size_t> order : {by_size, by_time, by_life}) {
    for (size_t i = 0; i<attempts&& * size> bound; ++i) {
      std::vector<PlanTensor> attempt = tensors;
      const int64_t reached = place_in_order(attempt, order);
      const auto last =
          std::ranges::find_if(order, [&](size_t id) { return attempt[id].offset + attempt[id].size == reached; });
      if (reached < *size) {
        *size = reached;
        best = std::move(attempt);
      }
      if (last != order.end()) std::rotate(order.begin(), last, last + 1);
    }
  }
  return best;
}

// Constants follow the activations; they have the arena to themselves there.
int64_t place_constants(std::vector<PlanTensor>& tensors, int64_t from) {
  for (PlanTensor& tensor : tensors) {
    if (tensor.contents.empty()) continue;
    tensor.offset = from;
    from += tensor.size;
  }
  return from;
}

// For tests: every tensor on its own, with a guard band around it.
int64_t place_with_sentinels(std::vector<PlanTensor>& tensors, int64_t band) {
  int64_t end = band;
  for (PlanTensor& tensor : tensors) {
    tensor.offset = end;
    end += tensor.size + band;
  }
  return end;
}

}  // namespace

Status plan_memory(PlanData& plan) {
  std::vector<size_t> activations;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    if (plan.tensors[i].contents.empty()) activations.push_back(i);
  }
  int64_t activation_size = 0;
  plan.tensors = pack(plan.tensors, activations, lower_bound(plan), &activation_size);

  plan.memory.arena_bytes = activation_size * kBlockBytes;
  plan.memory.lower_bound_bytes = lower_bound(plan) * kBlockBytes;
  for (const PlanTensor& tensor : plan.tensors) {
    (tensor.contents.empty() ? plan.memory.tensor_bytes : plan.memory.constant_bytes) += tensor.size * kBlockBytes;
  }
  plan.memory.weight_bytes = static_cast<int64_t>(plan.weights.size());

  plan.sentinel_size = static_cast<int>(plan.options.sentinel_bytes / kBlockBytes);
  plan.arena_size = plan.sentinel_size > 0 ? place_with_sentinels(plan.tensors, plan.sentinel_size)
                                           : place_constants(plan.tensors, activation_size);
  for (const auto& [what, bytes] :
       {std::pair{"activations", plan.arena_size * kBlockBytes}, std::pair{"weights", plan.memory.weight_bytes}}) {
    if (bytes > plan.limits.max_storage_block_bytes) {
      return resource_exhausted("the " + std::string(what) + " take " + std::to_string(bytes) +
                                " bytes; a storage block of this device holds " +
                                std::to_string(plan.limits.max_storage_block_bytes));
    }
  }
  return {};
}

}  // namespace sightglass
