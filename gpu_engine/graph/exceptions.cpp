#include "gpu_engine/exceptions.h"

#include <exception>
#include <new>

namespace sightglass {
namespace {

Status describe(std::string_view object, const char* action) {
  const auto message = [&](const char* reason) { return std::string(object) + ": cannot " + action + ": " + reason; };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, message("out of memory")};
  } catch (const std::exception& thrown) {
    return internal_error(message(thrown.what()));
  } catch (...) {
    return internal_error(message("an unknown exception"));
  }
}

}  // namespace

Status status_of_exception(std::string_view object, const char* action) noexcept {
  try {
    return describe(object, action);
  } catch (...) {
    return {ErrorCode::kOutOfMemory, "out of memory"};  // short enough to need no allocation
  }
}

}  // namespace sightglass
