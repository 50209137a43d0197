// Processes the bytes of files other than models, and of requests. Each function ends the process if a requirement is
// violated.
#pragma once

#include <cstddef>
#include <span>

namespace sightglass::test {

using Bytes = std::span<const std::byte>;

// A ZIP archive after other data: attached_file() returns bytes within it, or a message.
void exercise_archive(Bytes bytes);
// A .task bundle: every member is read, or refused with a message.
void exercise_bundle(Bytes bytes);
// A package of a registry, compressed or not, with a bundle and its table: what is found lies within its limits.
void exercise_package(Bytes bytes);
// A label text for parse_labels().
void exercise_labels(Bytes bytes);
// An image of at most 256x256 pixels.
void exercise_picture(Bytes bytes);
// A model: the output of `sightglass check --json` must parse, and the text must have no control characters.
void exercise_report(Bytes bytes);

// The contents of a file that another thread shortens and overwrites while it is read. The first byte selects the
// reader: of models, bundles, images, or labels.
void exercise_changing(Bytes bytes);

// The headers of an HTTP request: what is rejected has a reason, and nothing is authorized without the token.
void exercise_http(Bytes bytes);
// The offer of a WebRTC viewer (SDP): an accepted one is bounded, and has no candidates.
void exercise_offer(Bytes bytes);
// Addresses to listen at and to read from: passwords are hidden.
void exercise_address(Bytes bytes);

}  // namespace sightglass::test
