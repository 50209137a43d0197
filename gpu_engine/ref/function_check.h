// Compile-time check of tables that give an operator one function on real numbers and one on integers.
#pragma once

#include <algorithm>

#include "graph/operator_table.h"

namespace sightglass::ref {

// Whether `real` is null exactly for operators that do not take real numbers, and `integer` for those that take neither
// integers nor booleans. Types are checked before a function is called, so no null function is called.
template <typename Rows>
constexpr bool functions_match_types(const Rows& rows) {
  return std::ranges::all_of(rows, [](const auto& row) {
    const operators::Types taken = operators::row_of(row.op).types.data;
    return (row.real != nullptr) == ((taken & operators::kReal) != 0) &&
           (row.integer != nullptr) == ((taken & (operators::kIntegers | operators::kB)) != 0);
  });
}

}  // namespace sightglass::ref
