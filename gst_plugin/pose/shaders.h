// List of the programs for poses, for the element to build and tests to check.
#pragma once

#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass {

inline const ShaderKey kMoveNetBeginShader{"pose/movenet_begin.comp", {}};
inline const ShaderKey kMoveNetShader{"pose/movenet.comp", {}};
inline const ShaderKey kMoveNetMultiShader{"pose/movenet_multi.comp", {}};
inline const ShaderKey kYoloPersonsShader{"pose/yolo_persons.comp", {}};
inline const ShaderKey kSimCcShader{"pose/simcc.comp", {}};
inline const ShaderKey kScoreCellsShader{"pose/score_cells.comp", {}};
inline const ShaderKey kOffsetCellsShader{"pose/score_cells.comp", {{"OFFSETS", "1"}}};
inline const ShaderKey kBestCellsShader{"pose/best_cells.comp", {}};
inline const ShaderKey kGrowPersonsShader{"pose/grow_persons.comp", {}};
inline const ShaderKey kGrowBothWaysShader{"pose/grow_persons.comp", {{"BOTH_WAYS", "1"}}};
inline const ShaderKey kRefineLandmarksShader{"pose/refine_landmarks.comp", {}};
inline const ShaderKey kLandmarksShader{"pose/landmarks.comp", {}};
inline const ShaderKey kProjectMaskShader{"pose/project_mask.comp", {}};
inline const ShaderKey kFollowShader{"pose/follow.comp", {}};
inline const ShaderKey kSkeletonShader{"pose/skeleton.comp", {}};

inline std::vector<ShaderKey> pose_shader_variants() {
  return {kMoveNetBeginShader, kMoveNetShader,     kMoveNetMultiShader, kYoloPersonsShader,  kScoreCellsShader,
          kOffsetCellsShader,  kBestCellsShader,   kGrowPersonsShader,  kGrowBothWaysShader, kRefineLandmarksShader,
          kLandmarksShader,    kProjectMaskShader, kFollowShader,       kSkeletonShader,     kSimCcShader};
}

}  // namespace sightglass
