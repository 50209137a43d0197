// Small valid files of every kind that exercise_files.h takes: what their fuzzing starts from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sample_models.h"

namespace sightglass::test {

using SampleFile = SampleModel;

std::vector<SampleFile> sample_archives();
std::vector<SampleFile> sample_labels();
std::vector<SampleFile> sample_pictures();
// Models whose names and labels are what JSON and terminals find hardest.
std::vector<SampleFile> sample_named_models();

}  // namespace sightglass::test
