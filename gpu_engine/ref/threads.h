// Runs heavy kernels on several threads. Rows are independent, so results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>

namespace sightglass::ref {

// Calls row(0) … row(rows - 1) once each, on up to one thread per core if the work justifies it. `work`: approximate
// multiplications per row. If a row throws, the caller gets the exception, and remaining rows are skipped.
void for_rows(int64_t rows, int64_t work, const std::function<void(int64_t)>& row);

}  // namespace sightglass::ref
