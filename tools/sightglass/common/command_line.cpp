#include "common/command_line.h"

#include <cstdlib>

namespace sightglass {

std::string default_cache_folder() {
  // The XDG specification requires that relative paths are ignored.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/sightglass";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/sightglass" : std::string();
}

}  // namespace sightglass
