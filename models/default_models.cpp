#include "default_models.h"

#include <algorithm>
#include <iterator>

namespace sightglass {

namespace {

constexpr const char* kTasks[] = {"segment", "pose", "detect", "classify"};
constexpr const char* kSegment[] = {"selfie-segmenter", "selfie-segmenter-2023", "selfie-segmenter-landscape",
                                    "deeplabv3"};
constexpr const char* kPose[] = {"blazepose-landmark-full", "blazepose-landmark-lite", "blazepose-landmark-heavy"};
constexpr const char* kDetect[] = {"ssd-mobilenet-v1", "ssdlite-detector",    "blazeface-short",
                                   "blazeface-full",   "blazeface-short-web", "blazeface-full-web"};
constexpr const char* kClassify[] = {"mobilenet-v2", "mobilenet-v1-0.25"};

}  // namespace

std::span<const char* const> default_models(std::string_view task) {
  if (task == "segment") return kSegment;
  if (task == "pose") return kPose;
  if (task == "detect") return kDetect;
  if (task == "classify") return kClassify;
  return {};
}

std::span<const char* const> tasks_with_default_models() { return kTasks; }

std::vector<const KnownModel*> with_companions(const char* name) {
  std::vector<const KnownModel*> models{find_known_model(name)};
  const bool needs_detector = std::find(std::begin(kPose), std::end(kPose), std::string_view(name)) != std::end(kPose);
  if (needs_detector) models.push_back(find_known_model("blazepose-detector"));
  return models;
}

}  // namespace sightglass
