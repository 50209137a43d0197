// The heavy kernels on several threads. Rows are independent, so that results do not depend on how many threads there
// are.
#pragma once

#include <cstdint>
#include <functional>

namespace sightglass::ref {

// Calls row(0) … row(rows - 1), each once, from as many threads as there are cores where the work is worth starting
// them. `work`: about how many multiplications a row takes. What a row throws, the caller gets; other rows are left out
// then.
void for_rows(int64_t rows, int64_t work, const std::function<void(int64_t)>& row);

}  // namespace sightglass::ref
