// The properties of an element as command-line options, from its property table: names, ranges, words, and defaults.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

// Property names and values, in gst-launch syntax.
using PropertyValues = std::map<std::string, std::string>;

// Adds an option --NAME per property of an element of Sightglass. The parser rejects values that the property does not
// accept, and stores the others in `values`, which must outlive the parser.
Status add_element_options(CLI::App& app, const std::string& element, PropertyValues& values);

// " model=\"figure\" blur-radius=\"40\""
std::string launch_text(const PropertyValues& values);

}  // namespace sightglass::video
