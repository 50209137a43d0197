// What is done with the bytes of a file that is no model by itself. Each ends the process where a promise is broken.
#pragma once

#include <cstddef>
#include <span>

namespace sightglass::test {

using Bytes = std::span<const std::byte>;

// A ZIP archive behind something: attached_file() gives bytes within it, or a message.
void exercise_archive(Bytes bytes);
// A text of labels, as parse_labels() takes it.
void exercise_labels(Bytes bytes);
// A picture of at most 256x256 pixels.
void exercise_picture(Bytes bytes);
// A model, of which `sightglass check --json` prints something that parses, and the text has no control characters.
void exercise_report(Bytes bytes);

}  // namespace sightglass::test
