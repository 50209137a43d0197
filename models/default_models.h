// Which models the subcommands for video use by default, and what it takes to fetch them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "known_models.h"

namespace sightglass {

// Names of the models of the task of a subcommand, such as "segment", best first. Empty: there is no such task.
std::span<const char* const> default_models(std::string_view task);
// All such tasks.
std::span<const char* const> tasks_with_default_models();
// The models that `name` needs: itself, and a detector for landmarks.
std::vector<const KnownModel*> with_companions(const char* name);

}  // namespace sightglass
