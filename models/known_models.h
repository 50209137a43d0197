// The model catalog. A model is recognized by the SHA-256 of its file. The catalog lists its task, its input
// normalization and, if it is bundled or can be downloaded, a short name and its sources.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sightglass {

// Class names of public data sets, for models without labels: comma-separated, in class order, without a background.

// The 1000 classes of ImageNet (ILSVRC 2012).
extern const char* const kImageNetLabels;
// The 80 classes of COCO; and the same by COCO category number, 1 to 90, ten of which are empty.
extern const char* const kCocoLabels;
extern const char* const kCoco90Labels;

enum class Task { kSegmentation, kPose, kFace, kHand, kDetection, kClassification, kStyle };
const char* to_string(Task task);  // "segmentation"

// A file in a package that the client `npm` fetches, from whatever registry it is set to.
struct PackageMember {
  const char* package = nullptr;  // "@mediapipe/hands"
  const char* version = nullptr;
  const char* member = nullptr;  // below the top directory of the archive: "hand_landmark_full.tflite"
  // If the member is a packed FILE.data: the name of the file in it, as the table in FILE_loader.js states it.
  const char* asset = nullptr;
  bool operator==(const PackageMember&) const = default;
};

// Publication of the file with a known checksum. URLs are among the external files of MediaPipe, or its bundles.
struct Publication {
  const char* name = nullptr;        // on the command line: "selfie-segmenter"; null: not available for download
  const char* file = nullptr;        // the publisher's name, unique in the catalog: "selfie_segmentation.tflite"
  const char* generation = nullptr;  // version of the file at its URL; null: no URL
  int64_t bytes = 0;                 // 0: unknown
  const char* license = "Apache-2.0";
  const char* folder = nullptr;  // of the URL, among the published bundles; null: among the external files
  PackageMember package{};       // with the same file, tried after the URL; if it has no name: none
  bool operator==(const Publication&) const = default;
};

// Values of glsegment properties that suit the masks of a model. The initial values are those for unknown models.
struct MaskDefaults {
  bool guided = true;       // refine=guided
  bool islands = true;      // keeps uncertain foreground far from any that the model is sure of
  bool fill_holes = false;  // makes uncertain background that sure foreground encloses foreground
  float smoothing = 0.8F;   // with motion=blocks
  float softness = 0.5F;
  bool region = false;  // region=person
  bool operator==(const MaskDefaults&) const = default;
};

struct KnownModel {
  const char* sha256;  // of the file, in lowercase hexadecimal
  const char* title;   // for people: "MediaPipe selfie segmenter"
  Task task;
  Publication published{};
  // For models with an image input: tensor value = scale * sample + offset per channel, with samples in [0,1].
  std::array<float, 4> scale{1, 1, 1, 1}, offset{};
  // For segmentation: the usual foreground channels of the output, as in glsegment's `classes`.
  const char* classes = "";
  const char* labels = "";     // names of the output channels, separated by commas, if the file has none
  bool previous_mask = false;  // the fourth input channel is the previous mask
  MaskDefaults masks{};        // for segmentation
  bool operator==(const KnownModel&) const = default;
};

// The classes of PASCAL VOC, as `labels`.
extern const char* const kPascalVocLabels;

std::span<const KnownModel> known_models();

// The model of that name; null if there is none.
const KnownModel* find_known_model(std::string_view name);
// Up to three model names similar to `text`, most similar first: "hair-segmenter, face-mesh"; empty if there are none.
std::string similar_names(std::string_view text);
// Whether a named model is bundled, and so never downloaded.
bool is_shipped(const KnownModel& model);
// The download URL; empty if there is none.
std::string address_of(const KnownModel& model);
// The package that has the file, for people and for `npm`: "@mediapipe/hands@0.4.1675469240"; empty if there is none.
std::string package_of(const KnownModel& model);

// Reads the file. Empty if it cannot be read or is unknown.
std::optional<KnownModel> recognize_model(const std::string& path);
std::optional<KnownModel> recognize_model(std::span<const std::byte> file);
// In lowercase hexadecimal; empty if the file cannot be read.
std::string sha256_of_file(const std::string& path);
std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace sightglass
