#include "segment/matte_defaults.h"

#include <string_view>

namespace sightglass {

MatteDefaults MatteDefaults::of(const MaskDefaults& known) {
  MatteDefaults result;
  const auto is = [](const char* nick, std::string_view wanted) { return nick != nullptr && nick == wanted; };
  if (is(known.refine, "bilateral")) result.refine = Refine::kBilateral;
  if (is(known.refine, "guided")) result.refine = Refine::kGuided;
  if (is(known.islands, "remove")) result.islands = false;
  result.smoothing = known.smoothing.value_or(result.smoothing);
  result.softness = known.softness.value_or(result.softness);
  return result;
}

}  // namespace sightglass
