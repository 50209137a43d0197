#include "model/input_shape.h"

#include <charconv>
#include <string>
#include <vector>

namespace sightglass {

// Names may contain '=', but shapes cannot.
Result<InputShape> parse_input_shape(std::string_view text) {
  const auto wrong = [&] {
    return invalid_argument("'" + std::string(text) +
                            "' is not a valid input shape; give the name or index of an input and its shape, such as "
                            "input=1x256x256x3");
  };
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return wrong();
  std::vector<int32_t> dims;
  const char* at = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  while (true) {
    int32_t dim = 0;
    const auto parsed = std::from_chars(at, end, dim);
    if (parsed.ec != std::errc() || dim < 1 || dims.size() == Shape::kMaxRank) return wrong();
    dims.push_back(dim);
    at = parsed.ptr;
    if (at == end) break;
    if (*at++ != 'x') return wrong();
  }
  return InputShape{std::string(text.substr(0, equals)), Shape(dims)};
}

}  // namespace sightglass
