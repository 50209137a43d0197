// The shader programs of segmentation, in one list: tests check the programs that the element builds.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gl/shaders.h"
#include "segment/mask_refiner.h"
#include "sightglass/frame_kind.h"

namespace sightglass {

// The uniform block SegmentLook, and texture units besides that of the frame. Textures that are never used together
// share one.
inline constexpr GLuint kLookBinding = 0;
inline constexpr GLuint kMaskUnit = 1, kBeforeUnit = 1, kBackgroundUnit = 2, kLightUnit = 3;
inline constexpr GLuint kIslandCellsUnit = 2, kLumaUnit = 2, kMotionUnit = 3, kCloseUnit = 2, kCloseTrustUnit = 3;
inline constexpr GLuint kPreviousGuideUnit = 2, kHoleCellsUnit = 3;
inline constexpr GLuint kFrontColorsUnit = 4, kBehindColorsUnit = 5, kFeatheredUnit = 6, kSurroundingsUnit = 9;
inline constexpr GLuint kQuietUnit = 10, kTilesUnit = 10;

// The storage block of model_input.h, in words: two alternating flags, each at an offset that every device can bind,
// and a count of skipped frames. Then the side of a block that is compared as one, in pixels.
inline constexpr GLuint kFlagsBlock = 0;
inline constexpr int32_t kFlagWords = 64, kSkippedWord = 128, kStillBlock = 4;

// The storage block of segment/noise.glsl, and its size.
inline constexpr GLuint kNoiseBlock = 0;
inline constexpr int kNoiseFloats = 4;

// The storage block of segment/grade.comp, besides that of noise. It samples so many places of a frame.
inline constexpr GLuint kGradeBlock = 1;
inline constexpr int kGradeColumns = 64, kGradeRows = 32;

// Storage blocks of segment/region_*.comp.
inline constexpr GLuint kRegionBlock = 0, kRegionPlaceBlock = 1, kRegionNoiseBlock = 2, kRegionWantedBlock = 3;
// In the first, the word with the flag of the next run, at an offset that every device can bind.
inline constexpr int32_t kRegionFlagWord = 64;

// Storage blocks of segment/people_*.comp and camera_*.comp, and the texture unit of cells.
inline constexpr GLuint kPeopleBlock = 0, kPeopleNoiseBlock = 1, kPeopleCellsUnit = 2;
inline constexpr GLuint kCameraBlock = 0, kCameraPlaceBlock = 1, kCameraNoiseBlock = 2, kCameraPeopleBlock = 3;

// Storage blocks of classes.comp and of legend.comp.
inline constexpr GLuint kScoresBinding = 0, kSeenBinding = 1;
inline constexpr GLuint kLegendSeenBinding = 0, kPrimitivesBinding = 1;
// The legend counts every fourth pixel per direction. It is a panel with up to 12 rows, each with a color and a name.
inline constexpr int32_t kCountedPixels = 4;
inline constexpr int32_t kLegendRows = 12, kPerLegendRow = 2, kLegendPrimitives = 1 + kLegendRows * kPerLegendRow;

// How shaders/segment/opacity.glsl computes opacity from mask and colors.
inline ShaderDefine refine_define(Refine refine) { return {"REFINE", std::to_string(static_cast<int>(refine))}; }
// Source of a pyramid: FROM of shaders/segment/blur_down.comp.
inline constexpr int kFromInput = 0, kFromFrame = 1, kFromOpacity = 2, kFromColorLight = 3, kFromPictureLight = 4;
inline constexpr int kFromHighlights = 5;
// Weight of white in the mean over a disc, in addition to 1, which is the weight of black. Gray of 0.8 gets a sixth.
inline constexpr int kHighlightBoost = 16;
// Maximum number of fetches in a quarter of a disc.
inline constexpr int kDiscTaps = 24;
inline ShaderKey pyramid_first_shader(int from, FrameKind kind, Refine refine) {
  return frame_shader({"segment/blur_down.comp", {{"FROM", std::to_string(from)}, refine_define(refine)}}, kind);
}
inline ShaderKey grade_shader(FrameKind kind, Refine refine) {
  return frame_shader({"segment/grade.comp", {refine_define(refine)}}, kind);
}
inline ShaderKey denoise_shader(FrameKind kind, Refine refine) {
  return frame_shader({"segment/denoise.comp", {refine_define(refine)}}, kind);
}
inline ShaderKey split_colors_shader(FrameKind kind, Refine refine) {
  return frame_shader({"segment/split_colors.comp", {refine_define(refine)}}, kind);
}
inline const ShaderKey kShiftEdgeShader{"segment/shift_edge.comp", {}};
inline const ShaderKey kForegroundColorsShader{"segment/foreground_colors.comp", {}};
inline ShaderKey guide_shader(FrameKind kind) { return frame_shader({"segment/guide.comp", {}}, kind); }
inline ShaderKey feedback_shader(FrameKind kind) { return frame_shader({"segment/feedback.comp", {}}, kind); }
inline ShaderKey still_watch_shader(FrameKind kind) { return frame_shader({"segment/still_watch.comp", {}}, kind); }
inline const ShaderKey kStillKeepShader{"segment/still_keep.comp", {}};
inline ShaderKey smooth_shader(bool motion) {
  return {"segment/smooth.comp", motion ? std::vector<ShaderDefine>{{"MOTION", "1"}} : std::vector<ShaderDefine>{}};
}
inline const ShaderKey kRegionPlaceShader{"segment/region_place.comp", {}};
inline const ShaderKey kRegionFindShader{"segment/region_find.comp", {}};
inline const ShaderKey kRegionPasteShader{"segment/region_paste.comp", {}};
inline const ShaderKey kPeopleCellsShader{"segment/people_cells.comp", {}};
inline const ShaderKey kPeopleFindShader{"segment/people_find.comp", {}};
inline const ShaderKey kPeopleKeepShader{"segment/people_keep.comp", {}};
inline const ShaderKey kCameraMoveShader{"segment/camera_move.comp", {}};
inline const ShaderKey kCameraMaskShader{"segment/camera_mask.comp", {}};
inline ShaderKey camera_draw_shader(FrameKind kind) { return frame_shader({"segment/camera_draw.frag", {}}, kind); }
inline ShaderKey luma_shader(FrameKind kind) { return frame_shader({"segment/luma.comp", {}}, kind); }
inline ShaderKey noise_shader(FrameKind kind) { return frame_shader({"segment/noise.comp", {}}, kind); }
inline const ShaderKey kMotionShader{"segment/motion.comp", {}};
inline const ShaderKey kIslandCoreShader{"segment/island_core.comp", {}};
inline const ShaderKey kIslandReachShader{"segment/island_reach.comp", {}};
inline const ShaderKey kHoleReachShader{"segment/hole_reach.comp", {}};
inline const ShaderKey kIslandKeepShader{"segment/island_keep.comp", {}};
// How many functions, beside each other in a row, an invocation of guided_fit.comp computes.
inline constexpr int32_t kFunctionsPerInvocation = 8;
inline const ShaderKey kCloseFitShader{"segment/guided_fit.comp", {}};
inline const ShaderKey kWideFitShader{"segment/guided_fit.comp", {{"WIDE", "1"}}};
inline const ShaderKey kGuidedMeanShader{"segment/guided_mean.comp", {}};
inline const ShaderKey kGuidedBoundsShader{"segment/guided_bounds.comp", {}};
inline const ShaderKey kBlurDownShader{"segment/blur_down.comp", {{"FROM", std::to_string(kFromInput)}}};
inline const ShaderKey kBlurGaussShader{"segment/blur_gauss.comp", {}};
inline const ShaderKey kBlurDiscShader{"segment/blur_disc.comp", {}};
inline ShaderKey classes_shader(bool numbers) {
  return {"segment/classes.comp", numbers ? std::vector<ShaderDefine>{{"NUMBERS", "1"}} : std::vector<ShaderDefine>{}};
}
inline const ShaderKey kLegendShader{"segment/legend.comp", {}};
// The background is a define, because drivers that execute both sides of a branch would fetch for all backgrounds.
inline constexpr int kColorComposite = 0, kPictureComposite = 1, kBlurComposite = 2, kMaskComposite = 3;
inline constexpr int kLightWrap = 4;  // to be added to the first two
inline constexpr int kTintComposite = 6, kClassTintComposite = 7;
inline constexpr int kComposites = 8;
// The first three draw tiles of the frame, squares of so many pixels, with a program for each kind of them: all pixels
// are background; each its own; all are foreground.
inline constexpr int kTiledComposites = 3;
inline constexpr int32_t kTileSide = 32, kTileVertices = 6;
// At least so many tiles cover a side; some may be beyond it. Never a power of two, for which llvmpipe would compile
// the programs that read tiles again.
constexpr int32_t tiles_along(int32_t pixels) { return std::max(3, ((pixels + kTileSide - 1) / kTileSide) | 1); }
inline constexpr int kBehindTile = 0, kEdgeTile = 1, kFrontTile = 2, kTileKinds = 3;
inline constexpr std::array<int, 2> kDecidedTiles{kBehindTile, kFrontTile};
inline ShaderKey composite_shader(int background, FrameKind kind, Refine refine, bool feathered, bool graded,
                                  int tile = kEdgeTile) {
  // Without edges, there is nothing to refine.
  ShaderKey key{"segment/composite.frag",
                {{"BACKGROUND", std::to_string(background)},
                 refine_define(tile == kEdgeTile ? refine : Refine::kNone),
                 {"TILE", std::to_string(tile)}}};
  if (feathered) key.defines.push_back({"FEATHERED", "1"});
  if (graded) key.defines.push_back({"GRADED", "1"});
  return frame_shader(std::move(key), kind);
}
inline ShaderKey tiles_shader(int tile) { return {"segment/tiles.vert", {{"TILE", std::to_string(tile)}}}; }
inline ShaderKey sort_tiles_shader(Refine refine) { return {"segment/sort_tiles.frag", {refine_define(refine)}}; }

inline std::vector<ShaderKey> segment_shader_variants() {
  std::vector<ShaderKey> keys{kBlurDownShader,   kBlurGaussShader,      kCloseFitShader,      kWideFitShader,
                              kGuidedMeanShader, smooth_shader(false),  smooth_shader(true),  kMotionShader,
                              kIslandCoreShader, kIslandReachShader,    kIslandKeepShader,    kHoleReachShader,
                              kStillKeepShader,  kLegendShader,         classes_shader(true), kForegroundColorsShader,
                              kShiftEdgeShader,  classes_shader(false), kGuidedBoundsShader};
  for (int tile = 0; tile < kTileKinds; ++tile) keys.push_back(tiles_shader(tile));
  for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
    keys.push_back(sort_tiles_shader(refine));
  }
  for (const FrameKind kind : kFrameKinds) {
    for (int background = 0; background < kTiledComposites; ++background) {
      for (const int tile : kDecidedTiles) {
        keys.push_back(composite_shader(background, kind, Refine::kNone, false, false, tile));
      }
    }
    keys.push_back(guide_shader(kind));
    keys.push_back(feedback_shader(kind));
    keys.push_back(luma_shader(kind));
    keys.push_back(noise_shader(kind));
    keys.push_back(still_watch_shader(kind));
    keys.push_back(camera_draw_shader(kind));
    for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
      keys.push_back(split_colors_shader(kind, refine));
      keys.push_back(grade_shader(kind, refine));
      keys.push_back(denoise_shader(kind, refine));
      for (const int from : {kFromFrame, kFromOpacity, kFromColorLight, kFromPictureLight, kFromHighlights}) {
        keys.push_back(pyramid_first_shader(from, kind, refine));
      }
      for (int background = 0; background < kComposites; ++background) {
        for (const bool feathered : {false, true}) {
          keys.push_back(composite_shader(background, kind, refine, feathered, false));
          if (background == kMaskComposite) continue;  // without colors of the frame
          keys.push_back(composite_shader(background, kind, refine, feathered, true));
        }
      }
    }
  }
  for (const ShaderKey& key :
       {kBlurDiscShader, kRegionPlaceShader, kRegionFindShader, kRegionPasteShader, kPeopleCellsShader,
        kPeopleFindShader, kPeopleKeepShader, kCameraMoveShader, kCameraMaskShader}) {
    keys.push_back(key);
  }
  return keys;
}

// What mask_filters.h keeps and removes: shaders/segment/island_*.comp include these numbers.

// Sure regions are searched for in cells of so many mask pixels per axis.
inline constexpr int kIslandCell = 4;
// A pixel is part of a sure region if it and its eight neighbors are foreground with a probability above the second
// number, and not if one of them is below the first.
inline constexpr float kCoreFrom = 0.5F, kCoreTo = 0.95F;
// Probabilities above the second number stay wherever they are.
inline constexpr float kSureFrom = 0.8F, kSureTo = 1.0F;
// Influence of a sure region: 1 inside, less the square of the distance as a fraction of the reach. Pixels with this
// influence keep their probability.
inline constexpr float kNearInfluence = 0.75F;
// The reach, as a fraction of the longer side of the mask.
inline constexpr float kIslandReach = 0.125F;
// The mean of squared probabilities of the foreground within so many reaches per axis: nothing stays below the first
// one, and all from the second one on. With the selfie segmenter it is 0.15 to 0.4 on a burger, and at least 0.6 on
// people, 0.45 in frames of 80 x 60 pixels.
inline constexpr float kSupportReach = 2.0F;
inline constexpr float kSupportFrom = 0.32F, kSupportTo = 0.5F;
// Probabilities from which, and above which wholly, a pixel counts as foreground there.
inline constexpr float kForegroundFrom = 0.2F, kForegroundTo = 0.5F;
// Lines through holes: the longest, as the same fraction. Of 1 less the length of a line, as a fraction of that: from
// where the longest line through a hole ends for sure; and for the shortest one, from wide places to narrow ones.
inline constexpr float kHoleReach = 0.22F;
inline constexpr float kClosed = 0.25F, kNarrowFrom = 0.3F, kNarrowTo = 0.65F;
// How far a place is a hole: not, and wholly.
inline constexpr float kEnclosedFrom = 0.5F, kEnclosedTo = 0.9F;
// Probabilities up to the first are a gap, of which the model is sure, and from the second on a hole.
inline constexpr float kGapTo = 0.05F, kHoleFrom = 0.2F;

// What segment/region.h samples: shaders/segment/region_find.comp includes these numbers.

// Foreground that counts; the margin around it, as a fraction and in pixels of the frame; and the further fraction on
// sides where people go on beyond what the model has sampled.
inline constexpr float kRegionSure = 0.5F, kRegionMargin = 0.15F, kRegionPixels = 8.0F, kRegionBeyond = 0.5F;
// Widths over heights of a region, in pixels.
inline constexpr float kRegionLeastAspect = 0.6F, kRegionMostAspect = 1.78F;
// Parts of the frame: below the first, a region replaces the whole frame; above the second, the whole frame the region.
inline constexpr float kRegionMostArea = 0.7F, kRegionLeaveArea = 0.85F;
// A region that is larger than wanted by the first factor shrinks until the second, by this share for each frame.
inline constexpr float kRegionShrink = 0.7F, kRegionShrunk = 0.9F, kRegionShare = 0.1F;
// Frames from one look at the whole frame to the next.
inline constexpr int32_t kRegionInterval = 15;
// The mask of a part is trusted if its people are at most this many times as many, or as few, as in the whole frame, or
// if small people agree within the second factor. Slack and small: shares of the frame.
inline constexpr float kRegionAlike = 1.75F, kRegionAgrees = 1.3F, kRegionSlack = 0.003F, kRegionSmall = 0.04F;
// How often in a row they have to agree, and the runs until the next try.
inline constexpr int32_t kRegionAgreed = 2, kRegionRest = 8 * kRegionInterval;

// How segment/grade.h fits colors: shaders/segment/grade.comp includes these numbers.

// The most that matched colors change: logarithms of red over green and green over blue, of green over both, and of the
// power of brightness; and contrast. Contrast follows this share of the logarithm of both.
inline constexpr float kMostWarmth = 0.07F, kMostTint = 0.025F, kMostBrighter = 0.15F, kMostDarker = 0.35F;
inline constexpr float kMostContrast = 0.15F, kContrastShare = 0.5F;
// The luma of the bright parts of a frame that is not dark; how bright the foreground counts at least, as a share of
// the frame; the most that black is amplified; and the noise that rounding to 8 bits leaves.
inline constexpr float kBrightEnough = 0.5F, kFrameShare = 0.6F, kMostGain = 4.0F, kLeastSigma = 0.002F;
// The time in which a grade comes nearer to what fits by a factor of e.
inline constexpr float kGradeSeconds = 0.4F;

// How segment/people.h finds people: shaders/segment/people_*.comp include these numbers.

// Cells per side of a mask, at most.
inline constexpr int kPeopleSide = 40, kPeopleCells = kPeopleSide * kPeopleSide;
// Foreground that counts, and the share of it in a cell that counts.
inline constexpr float kPeopleSure = 0.5F, kPeopleShare = 0.3F;
// A cell with less foreground than both sides have, by more than this share, parts people.
inline constexpr float kPeopleGap = 0.2F;
// Units of area per cell, and how many of them a person has at least.
inline constexpr int kPeopleUnits = 16, kPeopleLeastUnits = 24;
// Rounds along rows and columns in which labels spread.
inline constexpr int kPeopleRounds = 12;
// The part of a region that is another person who touches the main one, rather than a remainder of a crossing.
inline constexpr float kPeopleMixed = 0.12F;
// Seconds after which those who touched the main person have passed.
inline constexpr float kPeopleCrossing = 1.5F;
// Weight of a new displacement in the motion of the main person, also while others touch it; and the motion, in cells
// per mask, of someone who sits still.
inline constexpr float kPeopleMotionShare = 0.3F, kPeopleMixedShare = 0.1F, kPeopleRest = 0.1F;
// Cells around the main person that belong to it.
inline constexpr int kPeopleReach = 3;
// Seconds for which someone who is not seen may only be hidden; and a time that has no end.
inline constexpr float kPeopleWait = 1.0F, kPeopleForever = 1000000.0F;

// How segment/camera.h moves: shaders/segment/camera_move.comp includes these numbers.

// How far people may move before the camera does, as fractions of the view, and as a difference of logarithms of its
// size; and the part of that distance at which the camera has arrived.
inline constexpr float kCameraZone = 0.06F, kCameraZoomZone = 0.16F, kCameraArrival = 0.25F;
// Seconds until the camera reacts to that, and until it comes closer.
inline constexpr float kCameraWait = 0.25F, kCameraCloserWait = 1.5F;
// The part of the margin that people may enter, and the further part of the view at which the camera is twice as fast.
inline constexpr float kCameraNear = 0.3F, kCameraUrgent = 0.1F;
// The share of its lag by which the camera is ahead of people who walk; the time over which their speed is a mean, in
// seconds; and a speed that nobody has, in heights of the frame per second.
inline constexpr float kCameraLead = 0.8F, kCameraDriftTime = 0.4F, kCameraJump = 2.0F;
// The filter of the view is at most this many fetches wide.
inline constexpr int kCameraTaps = 12;

// Block matching between two frames at mask size: shaders/segment/motion.comp includes these numbers.

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
