// Block matching between two frames at mask size: shaders/segment/motion.comp includes these numbers.
#pragma once

namespace sightglass {

// Pixels per side of a block, and on each side the pixels of its neighbors that are compared as well.
inline constexpr int kMotionBlock = 8, kMotionMargin = 2;
inline constexpr int kMotionWindow = kMotionBlock + 2 * kMotionMargin;
// The first search compares every other displacement up to this many pixels per axis, in images of half the size. The
// second search covers this many pixels around the best of them. One further pixel is compared for the interpolation.
inline constexpr int kCoarseReach = 6, kFineReach = 1;
inline constexpr int kMotionPad = kCoarseReach + kFineReach + 1;
// Displacements must explain this much more, per pixel of their length, than none at all: mean squares of luma in
// [0,1].
inline constexpr float kMotionBias = 0.00003F;
// Blocks that change by no more than this have not moved: about the noise of a camera, in the same unit.
inline constexpr float kMotionNoise = 0.00012F;

}  // namespace sightglass
