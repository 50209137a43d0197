// glpose on one GL context: its settings, and the effect that finds people, tracks them, and draws their skeletons.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/overlay_painter.h"
#include "element/effect.h"
#include "element/element_settings.h"
#include "element/loaded_model.h"
#include "element/model_pace.h"
#include "gl/frame_reader.h"
#include "gl/objects.h"
#include "gobject/properties.h"
#include "meta/inference_results.h"
#include "pose/person_finder.h"
#include "sightglass/device.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Lengths of body parts in statures: D. Winter, Biomechanics and Motor Control of Human Movement, 4th edition, 2009,
// figure 4.1, after Drillis and Contini (1966). The torso is from the shoulder to the hip. The width between the ears
// is from the survey ANSUR II (bitragion breadth); the nose is half a head length and 2 cm from the ears.
inline constexpr float kUpperArmLength = 0.186F, kForearmLength = 0.146F, kHandLength = 0.108F;
inline constexpr float kThighLength = 0.245F, kShankLength = 0.246F, kFootLength = 0.152F;
inline constexpr float kTorsoLength = 0.288F, kShouldersWidth = 0.259F;
inline constexpr float kEarsWidth = 0.082F, kNoseToEar = 0.068F;
// How many times as long a limb can appear, at the scale of the torso, shoulders, or head that appears longest. Torso
// and shoulders are perpendicular, so one of the two appears at 0.7 times its length or more. The rest is for unusual
// bodies and inexact points.
inline constexpr float kLimbTolerance = 1.7F;
// Limbs towards the camera appear longer. A lens of 68 degrees shows a body as large as the longer side of the frame
// from 1.25 m; 0.3 m of this are 0.24. Bodies that appear larger than kLargestBody longer sides count as of that size.
inline constexpr float kTowardsCamera = 0.24F, kLargestBody = 3.0F;

// The skeleton whose limbs have limits.
enum class Limbs : uint8_t { kNone, kCoco, kBlazePose };

// Tracks the people found in a frame: adds IDs, boxes and smoothing over time, in shaders/pose/follow.comp.
struct FollowOptions {
  float seconds = -1;    // since the previous frame; below 0: all people are new, only the ID counter continues
  float min_cutoff = 0;  // Hz; 0: points are not smoothed
  float beta = 0;        // Hz per person size per second
  float visibility = 0;  // this and presence: minimum for a point to count for the box of its person
  float presence = 0;
  Limbs limbs = Limbs::kNone;  // points of limbs that are too long get no visibility and presence
};

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do.
class PersonFollower {
 public:
  static Result<PersonFollower> create(const std::shared_ptr<ShareGroup>& group);

  // `found` is the result of a PersonFinder; the frame size is in pixels.
  void run(const BufferRange& found, int32_t width, int32_t height, const FollowOptions& options);
  // The complete buffer of Persons that run() wrote.
  BufferRange persons() const;

 private:
  struct Block {  // Follow of the shader
    std::array<float, 4> filter{}, frame{};
    std::array<int32_t, 4> limbs{};
    bool operator==(const Block&) const = default;
  };
  PersonFollower(const GlApi& gl, SharedProgram program);

  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer tracks_, persons_;
};

// Draws people as skeletons from a buffer of Persons: shaders/pose/skeleton.comp converts them to lines and discs for
// OverlayPainter.
struct SkeletonStyle {
  float line_width = -1, point_radius = -1;  // frame pixels; 0: not drawn, negative: by the frame height
  std::array<float, 4> line_color{};         // R G B A in [0,1], not premultiplied; A = 0: a color for each person
  std::array<float, 4> point_color{1, 1, 1, 1};
  float visibility = 0.3F, presence = 0.3F;  // minimum of a point; a bone needs both of its points
};

// All calls, including the destructor, need the context current. They restore GL state except bindings used by the
// engine's sessions (sightglass/session.h), which they unbind.
class SkeletonPainter {
 public:
  // `skeleton` must outlive this.
  static Result<std::unique_ptr<SkeletonPainter>> create(const std::shared_ptr<ShareGroup>& group,
                                                         const Skeleton& skeleton);
  // Draws a buffer of Persons over `picture`, the upright frame.
  Status draw(const BufferRange& persons, const TextureRef& picture, int32_t shown_width, const SkeletonStyle& style);

 private:
  static constexpr size_t kBones = 40;
  struct Block {  // Style of the shader
    std::array<float, 4> line_color{}, point_color{}, sizes{}, thresholds{};
    std::array<int32_t, 4> counts{};
    std::array<int32_t, 2 * kBones> bones{};
    bool operator==(const Block&) const = default;
  };
  SkeletonPainter(std::shared_ptr<ShareGroup> group, const Skeleton& skeleton, SharedProgram program,
                  std::unique_ptr<OverlayPainter> painter);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const Skeleton& skeleton_;
  SharedProgram program_;
  std::unique_ptr<OverlayPainter> painter_;
  PrimitiveBuffer primitives_;
  UniformBlock<Block> block_;
};

// Pose estimation on one GL context: finds people, tracks them from frame to frame, and draws skeletons.

// Options that may change with every frame.
struct PoseLook {
  int32_t max_persons = 1;
  std::optional<float> person_score;  // unset: the model default
  Fit fit = Fit::kLetterbox;
  bool limb_limits = true;
  bool smoothing = true;
  float min_cutoff = 0.05F;  // Hz; this and beta are the MediaPipe values for landmarks
  float beta = 80;           // Hz per person size per second
  bool draw = true;
  SkeletonStyle style;  // its thresholds also apply to the boxes of people
};

struct PoseSettings : ElementSettings {
  // Read when the element starts.
  std::optional<std::string> detector;  // of BlazePose; unset or empty: in the directory of the model, or downloaded
  bool attach_mask = false;
  // Live.
  static constexpr float kUnsetScore = -1;
  float person_threshold = kUnsetScore;  // as set; look.person_score is the effective value
  PoseLook look;
};

const PropertyTable<PoseSettings>& pose_properties();

// The result of a run is the people found.
class PoseEstimator : public Effect {
 public:
  // The kind of frames to plan models for, if incoming frames are of `kind` and the finder uses this kind of model.
  static FrameKind planned_kind(const DeviceInfo& device, PoseKind model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model));
  }
  // `model` is the one that outputs the keypoints. `finder` was created for planned_kind().
  // `element` logs people, and outlives the effect.
  static Result<std::unique_ptr<Effect>> create(const GlTarget& target, GstElement* element, const PoseModel& model,
                                                std::unique_ptr<PersonFinder> finder);

  Status resize(const FrameSize& size, const ElementSettings& settings) override;
  void forget() override;
  Status prepare(FrameJob& job) override;
  size_t stages() const override { return finder_->stages(); }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output, Shown shown) override;
  Result<std::optional<ShownMask>> attach(const FrameJob& job) override;

 private:
  PoseEstimator(const GlTarget& target, const PoseModel& model, std::unique_ptr<PersonFinder> finder);
  // The second BlazePose model reads the frame after the first one has run.
  static FrameLife life_of_frames(PoseKind model) {
    return model == PoseKind::kBlazePose ? FrameLife::kKept : FrameLife::kOneFrame;
  }

  const float usual_person_score_;
  const Limbs limbs_;
  std::unique_ptr<PersonFinder> finder_;
  std::optional<FramePainter> frame_painter_;
  std::optional<PersonFollower> follower_;
  std::unique_ptr<SkeletonPainter> skeletons_;
  RunClock clock_;
  PoseLook look_;
  FollowOptions follow_;  // for the current run
  FrameSize size_;        // of upright frames
};

}  // namespace sightglass
