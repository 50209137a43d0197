// Downloads models by name, with progress and reports on the terminal.
#pragma once

#include <cstdio>

#include "fetch_model.h"
#include "known_models.h"
#include "model_store.h"
#include "sightglass/status.h"

namespace sightglass {

// fetch_model() with a progress bar, from the server in SIGHTGLASS_MODEL_MIRROR if it is set. Prints to `report` what
// was stored, and to standard error when a source fails and the next one is tried. `options` has the time limits. While
// it runs, a server that hangs up does not end the process.
Status fetch_with_progress(const ModelStore& store, const KnownModel& model, FetchOptions options, std::FILE* report);

}  // namespace sightglass
