// The catalogue of models: recognised by the SHA-256 of their file, what they are for, how they are fed, and, for those
// that come with the project or whose publisher has an address to fetch them from, a short name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sightglass {

enum class Task { kSegmentation, kPose, kFace, kHand, kDetection, kClassification, kStyle };
const char* to_string(Task task);  // "segmentation"

// Where the file with a known checksum is published. All addresses are among the external files of MediaPipe.
struct Publication {
  const char* name = nullptr;  // on the command line: "selfie-segmenter"; null: it can be had from nowhere
  const char* file = nullptr;  // as its publisher calls it: "selfie_segmentation.tflite"
  const char* generation =
      nullptr;        // of the file at its address, where older and newer ones may be; null: it is shipped
  int64_t bytes = 0;  // 0: not known
  const char* licence = "Apache-2.0";
  bool operator==(const Publication&) const = default;
};

struct KnownModel {
  const char* sha256;  // of the file, in lower-case hexadecimal digits
  const char* title;   // for people: "MediaPipe selfie segmenter"
  Task task;
  Publication published{};
  // Of models that take a picture: tensor value = scale * sample + offset by channel, with samples in [0,1].
  std::array<float, 4> scale{1, 1, 1, 1}, offset{};
  // Of segmentation: the output channels that people mean by foreground, as in glsegment's `classes`.
  const char* classes = "";
  const char* labels = "";     // names of the output channels, separated by commas, where the file has none
  bool previous_mask = false;  // the fourth channel of the input is the mask of the frame before
  bool operator==(const KnownModel&) const = default;
};

// The classes of PASCAL VOC, as `labels`.
extern const char* const kPascalVocLabels;

std::span<const KnownModel> known_models();

// The one with that name; null when there is none.
const KnownModel* find_known_model(std::string_view name);
// Up to three such names that look like `text`, the likeliest first: "hair-segmenter, face-mesh"; empty when none does.
std::string similar_names(std::string_view text);
// Whether a model with a name comes with the project, and is never fetched.
bool is_shipped(const KnownModel& model);
// Empty for a shipped one.
std::string address_of(const KnownModel& model);

// Reads the file. Nothing when it cannot be read or is none of them.
std::optional<KnownModel> recognise_model(const std::string& path);
// In lower-case hexadecimal digits; empty when the file cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace sightglass
