// The properties of an element as command-line options, from its property table: names, ranges, words, and defaults.
#pragma once

#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass::video {

// Property names and values, in gst-launch syntax.
using PropertyValues = std::map<std::string, std::string>;

// The settings of an element of Sightglass: its writable properties, without those of GStreamer base classes. They stay
// valid as long as the process.
Result<std::vector<GParamSpec*>> element_settings(const std::string& element);
// The values that a property accepts: "0 to 25", or "blur, color, image"; empty: any text.
std::string domain_of(GParamSpec* spec);
// Fails if the property does not accept the text. The error starts with the text.
Status check_value(GParamSpec* spec, const std::string& text);
// The same for the values of --property.
Status check_values(const std::string& element, const PropertyValues& values);

// Adds an option --NAME per property of an element of Sightglass. The parser rejects values that the property does not
// accept, and stores the others in `values`, which must outlive the parser.
Status add_element_options(CLI::App& app, const std::string& element, PropertyValues& values);

// " model=\"figure\" blur-radius=\"40\""
std::string launch_text(const PropertyValues& values);

}  // namespace sightglass::video
