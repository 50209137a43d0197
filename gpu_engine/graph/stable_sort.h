// Sorting, with equal elements in their old order. std::stable_sort is two kilobytes of code for each type of element;
// this one is compiled once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace sightglass {

// The indices 0 to `count` - 1, sorted. `before(a, b)`: whether a comes before b.
inline std::vector<size_t> stable_order(size_t count, const std::function<bool(size_t, size_t)>& before) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  // By reference: a copy of the function may allocate. Not std::cref(), which some versions of Clang cannot call here.
  std::stable_sort(order.begin(), order.end(), [&before](size_t a, size_t b) { return before(a, b); });
  return order;
}

// Sorts by `key`, a member or a function of an element, with std::less or the order given.
template <typename T, typename Key, typename Order = std::less<>>
void stable_sort_by(std::vector<T>& values, Key key, Order order = {}) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  const auto before = [&](size_t a, size_t b) {
    return order(std::invoke(key, values[a]), std::invoke(key, values[b]));
  };
  for (const size_t i : stable_order(values.size(), before)) sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

}  // namespace sightglass
