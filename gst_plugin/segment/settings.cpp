#include "segment/settings.h"

#include "segment/blur.h"

namespace sightglass {

namespace {

using S = SegmentSettings;

constexpr float kMostSmoothing = 0.95F;  // a mask that never settles is of no use
constexpr int kMostOutputs = 1023;
constexpr MaskDefaults kUnknown;

template <typename T>
auto look(T SegmentLook::*member) {
  return within(&S::look, member);
}

}  // namespace

Result<MaskModelOptions> SegmentSettings::mask_model_options() const {
  MaskModelOptions options;
  SIGHTGLASS_ASSIGN_OR_RETURN(options.classes, parse_classes(classes.value_or("")));
  options.output = output;
  options.activation = activation;
  return options;
}

SegmentLook SegmentSettings::look_for(const MaskDefaults& defaults) const {
  SegmentLook result = look;
  result.islands = islands.value_or(defaults.islands);
  result.fill_holes = fill_holes.value_or(defaults.fill_holes);
  result.smoothing = smoothing.value_or(defaults.smoothing);
  result.softness = softness.value_or(defaults.softness);
  return result;
}

Refine SegmentSettings::refine_for(const MaskDefaults& defaults) const {
  return refine.value_or(defaults.guided ? Refine::kGuided : Refine::kNone);
}

const PropertyTable<SegmentSettings>& segment_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::text("classes", "Classes", &S::classes, kAtStart,
                    "Foreground classes, such as \"15\" or \"1,2\" (NULL or empty = people or hair of known models, "
                    "otherwise all but 0)"),
          row::number("output", "Output", &S::output, -1, kMostOutputs, kAtStart,
                      "Index of the model output with the mask (-1 = the first image output)"),
          row::choice("activation", "Activation", &S::activation, "GstGLSegmentActivation",
                      {{std::nullopt, "Sigmoid or softmax, unless the model applies it", "auto"},
                       {OutputActivation::kNone, "None; outputs are probabilities", "none"},
                       {OutputActivation::kSigmoid, "Sigmoid per channel", "sigmoid"},
                       {OutputActivation::kSoftmax, "Softmax over channels", "softmax"}},
                      kAtStart, "Activation to apply to the model output"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the mask to each buffer as SightglassMaskMeta (also "
                    "GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::choice(
              "refine", "Refine", &S::refine, "GstGLSegmentRefine",
              {{std::nullopt, "As suits the known model, otherwise guided; none for masks from upstream", "auto"},
               {Refine::kNone, "Smooth upsampling", "none"},
               {Refine::kBilateral, "Joint bilateral upsampling", "bilateral"},
               {Refine::kGuided, "Guided filter", "guided"}},
              kAtStart, "How to upsample the mask so that it follows edges in the frame"),
          row::choice("region", "Region", &S::follow_people, "GstGLSegmentRegion",
                      {{std::nullopt, "As suits the known model, otherwise the frame", "auto"},
                       {false, "Frame", "frame"},
                       {true, "Box around the people, found on the GPU", "person"}},
                      kAtStart,
                      "What the model looks at: person shows small people larger (not with several classes, a previous "
                      "mask, or operators on the CPU)"),
          row::choice("background", "Background", look(&SegmentLook::background), "GstGLSegmentBackground",
                      {{Background::kBlur, "Blurred frame", "blur"},
                       {Background::kColor, "Color from background-color", "color"},
                       {Background::kImage, "Image from background-location", "image"},
                       {Background::kTransparent, "None; the mask becomes the alpha channel", "transparent"},
                       {Background::kMask, "Mask in white on black instead of the frame", "mask"},
                       {Background::kOverlay, "Frame with one color per class", "overlay"}},
                      kLive, "Background to show behind the foreground"),
          row::number("blur-strength", "Blur strength", look(&SegmentLook::blur_strength), 0, kMaxBlurStrength, kLive,
                      "Blur radius in percent of the frame height, unless blur-radius is set (0 = disabled)"),
          row::number("blur-radius", "Blur radius", look(&SegmentLook::blur_radius), -1, kMaxBlurRadius, kLive,
                      "Blur radius in frame pixels, two standard deviations (0 = disabled, negative = by "
                      "blur-strength)"),
          row::choice("bokeh", "Bokeh", look(&SegmentLook::bokeh), "GstGLSegmentBokeh",
                      {{Bokeh::kGaussian, "Smooth blur", "gaussian"},
                       {Bokeh::kDisc, "Disc of a lens; highlights become visible discs", "disc"}},
                      kLive, "Shape of points in the blurred background"),
          row::flag("dither", "Dither", look(&SegmentLook::dither), kLive,
                    "Whether to add noise of half a step of 255 to a blurred background, so that it shows no bands"),
          row::color("background-color", "Background color", look(&SegmentLook::color), kLive,
                     "Color behind the foreground, ARGB (big-endian, not premultiplied)"),
          row::text("background-location", "Background location", &S::background_location, kLive,
                    "Path of the PNG or JPEG background image"),
          row::choice("background-fit", "Background fit", &S::background_fit, "GstGLSegmentBackgroundFit",
                      {{PictureFit::kCover, "Fill the frame and crop", "cover"},
                       {PictureFit::kContain, "Show everything, with bars of background-color", "contain"}},
                      kLive, "How to fit a background image or video into frames of another aspect ratio"),
          row::choice("alpha", "Alpha", look(&SegmentLook::premultiply), "GstGLSegmentAlpha",
                      {{false, "Straight colors", "straight"}, {true, "Colors multiplied by alpha", "premultiplied"}},
                      kLive, "Alpha representation of colors that are not opaque"),
          row::choice("despill", "Despill", look(&SegmentLook::despill), "GstGLSegmentDespill",
                      {{false, "Frame colors", "off"}, {true, "Estimated foreground colors", "on"}}, kLive,
                      "Colors of foreground edges when the background is replaced; on removes the old background"),
          row::number("match-colors", "Match colors", look(&SegmentLook::match_colors), 0, 1, kLive,
                      "How far white balance, brightness, and contrast of the foreground follow a background image or "
                      "video (0 = disabled)"),
          row::number("low-light", "Low light", look(&SegmentLook::low_light), 0, 1, kLive,
                      "How far dark frames become brighter, and their foreground free of noise (0 = disabled)"),
          row::number("light-wrap", "Light wrap", look(&SegmentLook::light_wrap), 0, 1, kLive,
                      "Amount of background light on foreground edges (0 = disabled)"),
          row::number("feather", "Feather", look(&SegmentLook::feather), -kMaxFeather, kMaxFeather, kLive,
                      "Feather width on each side of the foreground edge in frame pixels; negative: on its inner side "
                      "only (0 = disabled, smallest 3 or -6)"),
          row::number("edge-offset", "Edge offset", look(&SegmentLook::edge_offset), -kMaxEdgeOffset, kMaxEdgeOffset,
                      kLive,
                      "Distance in frame pixels by which the foreground edge moves outwards; negative: inwards (0 = "
                      "disabled)"),
          row::number("overlay-opacity", "Overlay opacity", look(&SegmentLook::overlay_opacity), 0, 1, kLive,
                      "Opacity of class colors over the frame with background=overlay"),
          row::flag("legend", "Legend", look(&SegmentLook::legend), kLive,
                    "Whether to list the names of visible classes with background=overlay"),
          row::number("threshold", "Threshold", look(&SegmentLook::threshold), 0, 1, kLive,
                      "Foreground probability at which foreground and background have equal weight"),
          row::optional_number("softness", "Softness", &S::softness, kUnknown.softness, 0, 1, kLive,
                               "Width of the transition from background to foreground as a difference of "
                               "probabilities (0 = hard edge, unset = from the model)"),
          row::optional_number("smoothing", "Smoothing", &S::smoothing, kUnknown.smoothing, 0, kMostSmoothing, kLive,
                               "Weight of the previous mask where the frame is still or both masks agree, to reduce "
                               "flicker (0 = disabled, unset = from the model)"),
          row::choice("motion", "Motion", look(&SegmentLook::motion), "GstGLSegmentMotion",
                      {{false, "None; moving edges are not smoothed", "off"},
                       {true, "Motion of 8x8 blocks of mask pixels", "blocks"}},
                      kLive, "Motion that smoothing follows from the previous mask to the new one"),
          row::choice("islands", "Islands", &S::islands, "GstGLSegmentIslands",
                      {{std::nullopt, "As suits the known model, otherwise keep", "auto"},
                       {false, "Background", "remove"},
                       {true, "As in the mask of the model", "keep"}},
                      kLive, "How to show uncertain foreground far from all regions of which the model is sure"),
          row::choice("holes", "Holes", &S::fill_holes, "GstGLSegmentHoles",
                      {{std::nullopt, "As suits the known model, otherwise keep", "auto"},
                       {true, "Foreground", "fill"},
                       {false, "As in the mask of the model", "keep"}},
                      kLive, "How to show uncertain background that regions of which the model is sure enclose"),
          row::choice("people", "People", look(&SegmentLook::main_person), "GstGLSegmentPeople",
                      {{false, "All people", "all"}, {true, "Only the largest or most central person", "main"}}, kLive,
                      "People in the foreground; the main person stays the same while others pass"),
          fit_property(&S::fit),
          row::choice("mask-source", "Mask source", &S::mask_source, "GstGLSegmentMaskSource",
                      {{MaskSource::kModel, "Model", "model"},
                       {MaskSource::kMeta, "SightglassMaskMeta of an upstream element (attach-mask=true)", "meta"}},
                      kAtStart, "Source of the masks"),
          row::choice("start", "Start", &S::start, "GstGLSegmentStart",
                      {{Start::kWait, "Nothing; the first frame waits", "wait"},
                       {Start::kBlurred, "Only background, as with on-failure=background", "blurred"}},
                      kAtStart, "What to show while the model is being compiled"),
          row::flag("skip-static", "Skip static", &S::skip_static, kAtStart,
                    "Whether to skip the model on the GPU while the image does not change (not with operators on the "
                    "CPU)"),
          row::number("static-threshold", "Static threshold", look(&SegmentLook::static_threshold), 0, 1, kLive,
                      "Maximum change of a mean color in [0,1] over 4x4 model pixels that skip-static ignores"),
          row::choice("on-failure", "On failure", within<RunSettings, S>(&S::run, &RunSettings::on_failure),
                      "GstGLSegmentOnFailure",
                      {{OnFailure::kBlack, "Black frame", "black"},
                       {OnFailure::kPass, "Whole frame as foreground", "pass"},
                       {OnFailure::kError, "End the stream with an error", "error"},
                       {OnFailure::kBackground, "Only background; black if drawing fails", "background"}},
                      kLive, "What to show when the mask of a frame cannot be computed while playing"),
      },
      camera_properties(&S::framing, {{"framing", "Framing"},
                                      {"framing-max-zoom", "Framing: maximum zoom"},
                                      {"framing-margin", "Framing: margin"},
                                      {"framing-speed", "Framing: speed"}}),
      run_properties<S>(&S::run));
  return *table;
}

}  // namespace sightglass
