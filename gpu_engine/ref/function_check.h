// Compile-time check of tables with one float function and one integer function per operator.
#pragma once

#include <algorithm>

#include "graph/operator_table.h"

namespace sightglass::ref {

// Whether `real` is null exactly for operators without float data, and `integer` for those with neither integer nor
// boolean data. Types are checked before a call, so a null function is never called.
template <typename Rows>
constexpr bool functions_match_types(const Rows& rows) {
  return std::ranges::all_of(rows, [](const auto& row) {
    const operators::Types taken = operators::row_of(row.op).types.data;
    return (row.real != nullptr) == ((taken & operators::kReal) != 0) &&
           (row.integer != nullptr) == ((taken & (operators::kIntegers | operators::kB)) != 0);
  });
}

}  // namespace sightglass::ref
