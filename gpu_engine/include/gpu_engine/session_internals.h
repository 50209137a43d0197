// What the tests of the engine see of a session.
#pragma once

#include "sightglass/session.h"

namespace sightglass {

struct SessionInternals {
  static Status check_sentinels(Session& session);
};

// Fails, naming the tensor, if a guard band was overwritten (ForcedPlanOptions::sentinel_bytes). Reads GPU memory.
inline Status check_sentinels(Session& session) { return SessionInternals::check_sentinels(session); }

}  // namespace sightglass
