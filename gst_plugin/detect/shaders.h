// List of the programs of detection decoders, for decoders to build and tests to check.
#pragma once

#include <vector>

#include "gl/shaders.h"
#include "sightglass/frame_kind.h"
#include "sightglass/shader_source.h"

namespace sightglass {

inline const ShaderKey kBestClassShader{"detect/best_class.comp", {}};
inline const ShaderKey kSuppressShader{"detect/suppress.comp", {}};
inline const ShaderKey kGatherFacesShader{"detect/gather_faces.comp", {}};
inline const ShaderKey kYoloBoxesShader{"detect/yolo_boxes.comp", {}};
inline const ShaderKey kDistributionBoxesShader{"detect/distribution_boxes.comp", {}};
inline const ShaderKey kSuppressYoloShader{"detect/suppress.comp", {{"YOLO", "1"}}};
inline const ShaderKey kRotatedBoxesShader{"detect/yolo_boxes.comp", {{"ROTATED", "1"}}};
inline const ShaderKey kSuppressRotatedShader{"detect/suppress.comp", {{"YOLO", "1"}, {"ROTATED", "1"}}};

inline const ShaderKey kTrackShader{"detect/track.comp", {}};
// With a background, or centers; `logits`: a softmax or the logistic function applies.
inline ShaderKey grid_boxes_shader(bool centers, bool logits) {
  ShaderKey key{"detect/grid_boxes.comp", {}};
  if (centers) key.defines.push_back({"CENTERS", "1"});
  if (logits) key.defines.push_back({centers ? "LOGISTIC" : "SOFTMAX", "1"});
  return key;
}
inline const ShaderKey kAnchorBoxesShader{"detect/anchor_boxes.comp", {}};
inline const ShaderKey kInstanceMasksShader{"detect/instance_masks.comp", {}};
inline const ShaderKey kInstanceForegroundShader{"detect/instance_masks.comp", {{"FOREGROUND", "1"}}};
inline const ShaderKey kInstanceNumbersShader{"detect/instance_masks.comp", {{"NUMBERS", "1"}}};
inline const ShaderKey kBeginRegionsShader{"detect/begin_regions.comp", {}};
inline const ShaderKey kNewRegionsShader{"detect/new_regions.comp", {}};
inline const ShaderKey kNextRegionShader{"detect/next_region.comp", {}};
inline const ShaderKey kNextLookShader{"detect/next_look.comp", {}};
inline ShaderKey sample_look_shader(FrameKind kind) {
  return frame_shader({"detect/sample_region.comp", {{"LOOK", "1"}}}, kind);
}
inline ShaderKey sample_region_shader(FrameKind kind) { return frame_shader({"detect/sample_region.comp", {}}, kind); }

inline std::vector<ShaderKey> detect_shader_variants() {
  std::vector<ShaderKey> keys{kBestClassShader,         kSuppressShader,        kYoloBoxesShader,
                              kSuppressYoloShader,      kInstanceMasksShader,   kInstanceForegroundShader,
                              kBeginRegionsShader,      kNewRegionsShader,      kNextRegionShader,
                              kNextLookShader,          kTrackShader,           kGatherFacesShader,
                              kDistributionBoxesShader, kInstanceNumbersShader, kAnchorBoxesShader,
                              kRotatedBoxesShader,      kSuppressRotatedShader};
  for (const bool centers : {false, true}) {
    for (const bool logits : {false, true}) keys.push_back(grid_boxes_shader(centers, logits));
  }
  for (const FrameKind kind : kFrameKinds) {
    keys.push_back(sample_look_shader(kind));
    keys.push_back(sample_region_shader(kind));
  }
  return keys;
}

}  // namespace sightglass
