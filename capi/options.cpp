#include "options.h"

namespace sightglass::capi {

static_assert(static_cast<int>(LogLevel::kInfo) == SIGHTGLASS_LOG_INFO);
static_assert(static_cast<int>(LogLevel::kDebug) == SIGHTGLASS_LOG_DEBUG);
static_assert(static_cast<int>(LogLevel::kTrace) == SIGHTGLASS_LOG_TRACE);

Log make_log(const SightglassLog& log) {
  if (log.function == nullptr) return {};
  return Log(
      [log](LogLevel level, const std::string& message) {
        log.function(static_cast<SightglassLogLevel>(level), message.c_str(), log.user_data);
      },
      [log](LogLevel level) { return static_cast<unsigned>(level) <= static_cast<unsigned>(log.level); });
}

}  // namespace sightglass::capi
