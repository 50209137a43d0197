#include "pose/pose_properties.h"

#include "element/run_properties.h"
#include "meta/persons.h"
#include "results/results_properties.h"

namespace sightglass {

namespace {

using S = PoseSettings;

template <typename T>
auto look(T PoseLook::*member) {
  return within(&S::look, member);
}

template <typename T>
auto style(T SkeletonStyle::*member) {
  return within(&S::look, &PoseLook::style, member);
}

Status set_person_threshold(S& settings, float score) {
  settings.person_threshold = score;
  settings.look.person_score.reset();
  if (score >= 0) settings.look.person_score = score;
  return {};
}

}  // namespace

const PropertyTable<PoseSettings>& pose_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::text("detector", "Detector", &S::detector, kAtStart,
                    "Path or name of the person detector for a BlazePose landmark model (NULL = from the bundle or "
                    "directory of the model, otherwise blazepose-detector)"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the BlazePose mask to each buffer as SightglassMaskMeta (also "
                    "GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::number("max-persons", "Maximum persons", look(&PoseLook::max_persons), 1, kMaxPersons, kLive,
                      "Maximum number of people to find (single-person MoveNet and heatmap models find one)"),
          row::number("person-threshold", "Person threshold", set_by(&S::person_threshold, set_person_threshold),
                      S::kUnsetScore, 1, kLive,
                      "Minimum score of a person, 0 to 1 (-1 = model default: 0.5 for BlazePose, 0.2 for others)"),
          row::number("visibility-threshold", "Visibility threshold", style(&SkeletonStyle::visibility), 0, 1, kLive,
                      "Minimum visibility for a keypoint to be drawn and count for the box of its person"),
          row::number("presence-threshold", "Presence threshold", style(&SkeletonStyle::presence), 0, 1, kLive,
                      "Minimum presence in the frame for a keypoint to be drawn and count for the box of its person"),
          row::flag("smoothing", "Smoothing", look(&PoseLook::smoothing), kLive,
                    "Whether to smooth keypoints over time with a One-Euro filter"),
          row::number("min-cutoff", "Minimum cutoff", look(&PoseLook::min_cutoff), 0.001F, 1000, kLive,
                      "Cutoff frequency of smoothing in Hz for keypoints at rest; lower values jitter less and lag "
                      "more"),
          row::number("beta", "Beta", look(&PoseLook::beta), 0, 10000, kLive,
                      "Increase of the cutoff frequency with speed in Hz per person size per second; higher values lag "
                      "less"),
          row::flag("draw", "Draw", look(&PoseLook::draw), kLive, "Whether to draw skeletons over the frame"),
          row::number("line-width", "Line width", style(&SkeletonStyle::line_width), 0, 200, kLive,
                      "Width of skeleton lines in frame pixels (0 = none)"),
          row::number("point-radius", "Point radius", style(&SkeletonStyle::point_radius), 0, 200, kLive,
                      "Radius of skeleton points in frame pixels (0 = none)"),
          row::color("line-color", "Line color", style(&SkeletonStyle::line_color), kLive,
                     "Color of skeleton lines, ARGB (big-endian, not premultiplied)"),
          row::color("point-color", "Point color", style(&SkeletonStyle::point_color), kLive,
                     "Color of skeleton points, ARGB (big-endian, not premultiplied)"),
      },
      run_properties(&S::run), failure_properties(&S::run), results_properties(&S::results));
  return *table;
}

}  // namespace sightglass
