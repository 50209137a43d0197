#include "segment_enums.h"

#include "segment_properties.h"

namespace sightglass {

GType background_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Background::kBlur), "The frame itself, blurred, without the foreground", "blur"},
      {static_cast<gint>(Background::kColor), "One colour (background-color)", "color"},
      {static_cast<gint>(Background::kImage), "A picture (background-location)", "image"},
      {static_cast<gint>(Background::kTransparent), "Nothing: the mask goes into the alpha channel", "transparent"},
      {static_cast<gint>(Background::kMask), "The mask itself, white on black, instead of the frame", "mask"},
      {static_cast<gint>(Background::kOverlay),
       "The frame, with each of the model's classes (or the foreground, where it has no others) in a colour of its own",
       "overlay"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentBackground", values);
  return type;
}

GType fit_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fit::kStretch), "Each axis is scaled on its own", "stretch"},
      {static_cast<gint>(Fit::kLetterbox), "The whole frame, aspect ratio kept, with bars", "letterbox"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentFit", values);
  return type;
}

GType mask_source_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(MaskSource::kModel), "The model", "model"},
      {static_cast<gint>(MaskSource::kMeta), "SightglassMaskMeta of the frames; no model runs", "meta"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentMaskSource", values);
  return type;
}

GType background_fit_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(PictureFit::kCover), "Fills the frame, its overhang cut off evenly", "cover"},
      {static_cast<gint>(PictureFit::kContain), "Is seen whole, with bars of background-color", "contain"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentBackgroundFit", values);
  return type;
}

GType alpha_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Alpha::kStraight), "Colours are what they are", "straight"},
      {static_cast<gint>(Alpha::kPremultiplied), "Colours are multiplied by alpha", "premultiplied"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentAlpha", values);
  return type;
}

GType refine_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Refine::kNone), "Smoothly, whatever the frame shows", "none"},
      {static_cast<gint>(Refine::kBilateral), "Joint bilateral upsampling: pixels follow neighbours of their colour",
       "bilateral"},
      {static_cast<gint>(Refine::kGuided), "Guided filter: round each place, the mask is a linear function of colour",
       "guided"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentRefine", values);
  return type;
}

GType mask_sync_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(MaskSync::kExact), "Every frame is drawn with its own mask, once the model has run", "exact"},
      {static_cast<gint>(MaskSync::kLatest),
       "Frames never wait for the model: they are drawn with the newest mask, and the model runs behind them within "
       "gpu-budget",
       "latest"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentMaskSync", values);
  return type;
}

GType on_failure_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(OnFailure::kBackground),
       "The whole frame is background, or black where even that cannot be drawn", "background"},
      {static_cast<gint>(OnFailure::kBlack), "The frame is black", "black"},
      {static_cast<gint>(OnFailure::kPass), "The whole frame is foreground: everything can be seen", "pass"},
      {static_cast<gint>(OnFailure::kError), "The stream ends with an error", "error"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentOnFailure", values);
  return type;
}

GType activation_type() {
  static const GEnumValue values[] = {
      {0, "Sigmoid for one channel, softmax for several, unless the model ends in it already", "auto"},
      {1, "None: the output is a probability", "none"},
      {2, "Sigmoid of each channel", "sigmoid"},
      {3, "Softmax over the channels", "softmax"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlSegmentActivation", values);
  return type;
}

}  // namespace sightglass
