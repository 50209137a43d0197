// The settings of glsegment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/element_settings.h"
#include "gobject/properties.h"
#include "segment/camera.h"
#include "segment/look.h"
#include "segment/mask_model.h"
#include "segment/mask_refiner.h"
#include "segment/picture.h"
#include "sightglass/input_transform.h"
#include "sightglass/plan.h"

namespace sightglass {

// Where masks come from.
enum class MaskSource : uint8_t { kModel, kMeta };

// How frames look until the model is ready.
enum class Start : uint8_t { kWait, kBlurred };

struct SegmentSettings : ElementSettings {
  SegmentSettings() { run.on_failure = OnFailure::kBackground; }

  // Read when the element starts.
  std::optional<std::string> classes;
  int output = -1;
  std::optional<OutputActivation> activation;  // still to be applied; unset: by what the model ends in
  bool attach_mask = false;
  std::optional<Refine> refine;       // unset: by the model
  std::optional<bool> follow_people;  // whether the model looks at a part of the frame; unset: by the model
  bool skip_static = false;
  MaskSource mask_source = MaskSource::kModel;
  Start start = Start::kWait;
  // Live.
  SegmentLook look;                         // see look_for()
  std::optional<bool> islands, fill_holes;  // in `look`, as the next two; unset: by the model
  std::optional<float> smoothing, softness;
  std::optional<std::string> background_location;
  PictureFit background_fit = PictureFit::kCover;
  Fit fit = Fit::kStretch;
  CameraStyle framing;
  // Not properties.
  bool needs_masks = false;                // besides attach_mask
  std::shared_ptr<const Picture> picture;  // at background_location, once loaded

  // `look`, complete for a model with these defaults.
  SegmentLook look_for(const MaskDefaults& defaults) const;
  Refine refine_for(const MaskDefaults& defaults) const;
  bool follows_people(const MaskDefaults& defaults) const { return follow_people.value_or(defaults.region); }
  // Without the normalization, which ModelSettings has.
  Result<MaskModelOptions> mask_model_options() const;
};

const PropertyTable<SegmentSettings>& segment_properties();

// The properties of a camera, in settings of any type.
struct CameraProperty {
  const char *name, *nick;
};
struct CameraNames {
  CameraProperty follow, max_zoom, margin, speed;
};
template <typename S>
std::vector<Property<S>> camera_properties(CameraStyle S::*camera, const CameraNames& names) {
  return {row::choice(names.follow.name, names.follow.nick, within(camera, &CameraStyle::follow), "GstGLCameraFollow",
                      {{Follow::kNone, "The whole frame", "none"},
                       {Follow::kPerson, "The main person", "person"},
                       {Follow::kGroup, "All people", "group"}},
                      kLive, "Subject of a virtual camera, which pans and zooms within the frame"),
          row::number(
              names.max_zoom.name, names.max_zoom.nick, within(camera, &CameraStyle::max_zoom), 1, kMaxCameraZoom,
              kLive, "Maximum magnification of the virtual camera (1 = it only pans, if the output has another shape)"),
          row::number(
              names.margin.name, names.margin.nick, within(camera, &CameraStyle::margin), 0, kMaxCameraMargin, kLive,
              "Space between people and each side of the view of the virtual camera, as a fraction of the view"),
          row::number(names.speed.name, names.speed.nick, within(camera, &CameraStyle::speed), kMinCameraSpeed,
                      kMaxCameraSpeed, kLive,
                      "Speed of the virtual camera; at 1, a pan over a third of the view takes about two seconds")};
}

}  // namespace sightglass
