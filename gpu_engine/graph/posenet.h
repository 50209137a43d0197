// The operands of Coral's PosenetDecoderOp, and what the reference and the kernel share of it. People's poses are found
// as in PersonLab (Papandreou et al., 2018): from the likeliest keypoint that belongs to nobody yet, along the
// skeleton.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sightglass::posenet {

inline constexpr int32_t kKeypoints = 17, kEdges = 16;

// Inputs, all 1 x rows x columns; offsets in pixels of the model's input, y before x: scores as logits, by keypoint;
// offsets from a cell to the keypoint near it; from a keypoint to its child and to its parent; and, or none, from a
// person's pixel to each of the person's keypoints.
inline constexpr size_t kScores = 0, kShortOffsets = 1, kMidOffsets = 2, kLongOffsets = 3;
inline constexpr std::array<int32_t, 4> kChannels{kKeypoints, 2 * kKeypoints, 4 * kEdges, 2 * kKeypoints};
// Outputs: keypoints [1, poses, 17, 2] in pixels, y and x; their scores [1, poses, 17]; the poses' scores [1, poses],
// the highest first; their number [1]; where there are long offsets, masks [1, poses, rows, columns]: 1 in the cells
// that are a pose's. What is no pose is zero.
inline constexpr size_t kOutKeypoints = 0, kOutKeypointScores = 1, kOutPoseScores = 2, kOutCount = 3, kOutMasks = 4;

// How often a keypoint found by mid offsets is put right by short ones, and one found by long offsets by long ones.
inline constexpr int kShortRefinements = 5, kLongRefinements = 2;

struct Edge {
  size_t parent, child;
};
// A tree over COCO's keypoints, parents first.
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

// The logit that a keypoint's score must reach for a pose to begin there; above all numbers where none does.
float lowest_root(float score_threshold);

}  // namespace sightglass::posenet
