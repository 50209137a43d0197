// Operands of PosenetDecoderOp (Coral), and definitions shared by the reference and the kernel. Poses are found as in
// PersonLab (Papandreou et al., 2018): from the most likely unassigned keypoint, along the skeleton.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass::posenet {

inline constexpr int32_t kKeypoints = 17, kEdges = 16;

// Inputs, all 1 x rows x columns; offsets in pixels of the model input, y before x: scores as logits, per keypoint;
// offsets from a cell to the nearby keypoint; offsets from a keypoint to its child and to its parent; optionally,
// offsets from a pixel of a person to each keypoint of that person.
inline constexpr size_t kScores = 0, kShortOffsets = 1, kMidOffsets = 2, kLongOffsets = 3;
inline constexpr std::array<int32_t, 4> kChannels{kKeypoints, 2 * kKeypoints, 4 * kEdges, 2 * kKeypoints};
// Outputs: keypoints [1, poses, 17, 2] in pixels, y and x; their scores [1, poses, 17]; pose scores [1, poses], highest
// first; the number of poses [1]; with long offsets, masks [1, poses, rows, columns]: 1 in the cells of a pose. Unused
// entries are zero.
inline constexpr size_t kOutKeypoints = 0, kOutKeypointScores = 1, kOutPoseScores = 2, kOutCount = 3, kOutMasks = 4;

// Number of refinements: of keypoints found by mid offsets with short offsets, and of keypoints found by long offsets
// with long offsets.
inline constexpr int kShortRefinements = 5, kLongRefinements = 2;

struct Edge {
  size_t parent, child;
};
// A tree over the COCO keypoints, parents first.
inline constexpr std::array<Edge, kEdges> kSkeleton{{{0, 1},
                                                     {1, 3},
                                                     {0, 2},
                                                     {2, 4},
                                                     {0, 5},
                                                     {5, 7},
                                                     {7, 9},
                                                     {5, 11},
                                                     {11, 13},
                                                     {13, 15},
                                                     {0, 6},
                                                     {6, 8},
                                                     {8, 10},
                                                     {6, 12},
                                                     {12, 14},
                                                     {14, 16}}};

// Minimum score of a keypoint, as a logit, to start a pose; above all values if no score suffices.
float lowest_root(float score_threshold);

}  // namespace sightglass::posenet
