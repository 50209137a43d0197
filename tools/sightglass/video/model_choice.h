// Chooses the model of a job that names none. Offers to download a better one than the bundled one.
#pragma once

#include "sightglass/status.h"
#include "video/element_options.h"
#include "video/task.h"

namespace sightglass::video {

// Whether the user can be asked: standard input and standard error are the terminal, and `input` is not standard input.
bool can_ask(const Input& input);

// Sets `model` in `properties` unless it is there: default_model(). If only the bundled model is there for a camera or
// a file, and `may_ask`, first asks once per user whether to download a better one. With the bundled model, says on
// standard error what it misses, and sets `notice`, unless it is there, so that the frames say it, too.
Status choose_model(const VideoTask& task, const Input& input, bool may_ask, PropertyValues& properties);

}  // namespace sightglass::video
