#include "graph/stable_sort.h"

#include <algorithm>
#include <numeric>

namespace sightglass {

std::vector<size_t> stable_order(size_t count, const std::function<bool(size_t, size_t)>& before) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  // By reference: a copy of the function may allocate. Not std::cref(), which some versions of Clang cannot call here.
  std::stable_sort(order.begin(), order.end(), [&before](size_t a, size_t b) { return before(a, b); });
  return order;
}

}  // namespace sightglass
