// Small valid files of every kind in exercise_files.h, as the initial corpus.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sample_models.h"

namespace sightglass::test {

using SampleFile = SampleModel;

std::vector<SampleFile> sample_archives();
std::vector<SampleFile> sample_bundles();
std::vector<SampleFile> sample_labels();
std::vector<SampleFile> sample_packages();
std::vector<SampleFile> sample_pictures();
// For exercise_changing().
std::vector<SampleFile> sample_changing_files();
// Models whose names and labels are hard for JSON and terminals.
std::vector<SampleFile> sample_named_models();

// Requests to servers, and addresses.
std::vector<SampleFile> sample_heads();
std::vector<SampleFile> sample_offers();
std::vector<SampleFile> sample_addresses();

}  // namespace sightglass::test
