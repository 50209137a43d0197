#include "segment/segment_enums.h"

#include "segment/segment_properties.h"

namespace sightglass {

GType background_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Background::kBlur), "Frame, blurred", "blur"},
      {static_cast<gint>(Background::kColor), "Color (background-color)", "color"},
      {static_cast<gint>(Background::kImage), "Image (background-location)", "image"},
      {static_cast<gint>(Background::kTransparent), "None; the mask becomes the alpha channel", "transparent"},
      {static_cast<gint>(Background::kMask), "Mask, white on black, instead of the frame", "mask"},
      {static_cast<gint>(Background::kOverlay), "Frame with each class in its own color", "overlay"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentBackground", values);
  return type;
}

GType fit_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fit::kStretch), "Scale each axis on its own", "stretch"},
      {static_cast<gint>(Fit::kLetterbox), "Show the whole frame with bars", "letterbox"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentFit", values);
  return type;
}

GType mask_source_type() {
  static const GEnumValue values[] = {{static_cast<gint>(MaskSource::kModel), "Model", "model"},
                                      {static_cast<gint>(MaskSource::kMeta),
                                       "SightglassMaskMeta from upstream, such as glpose attach-mask=true", "meta"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentMaskSource", values);
  return type;
}

GType background_fit_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(PictureFit::kCover), "Fill the frame and crop", "cover"},
      {static_cast<gint>(PictureFit::kContain), "Show all, with bars of background-color", "contain"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentBackgroundFit", values);
  return type;
}

GType alpha_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Alpha::kStraight), "Straight colors", "straight"},
      {static_cast<gint>(Alpha::kPremultiplied), "Colors multiplied by alpha", "premultiplied"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentAlpha", values);
  return type;
}

GType refine_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Refine::kNone), "Smooth enlargement", "none"},
      {static_cast<gint>(Refine::kBilateral), "Joint bilateral upsampling", "bilateral"},
      {static_cast<gint>(Refine::kGuided), "Guided filter", "guided"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentRefine", values);
  return type;
}

GType mask_sync_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(MaskSync::kExact), "Frames wait for their own mask", "exact"},
      {static_cast<gint>(MaskSync::kLatest), "Frames use the newest mask; the model runs within gpu-budget", "latest"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentMaskSync", values);
  return type;
}

GType on_failure_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(OnFailure::kBackground), "Background only, or black if drawing fails", "background"},
      {static_cast<gint>(OnFailure::kBlack), "Black frame", "black"},
      {static_cast<gint>(OnFailure::kPass), "Whole frame as foreground", "pass"},
      {static_cast<gint>(OnFailure::kError), "End the stream with an error", "error"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentOnFailure", values);
  return type;
}

GType activation_type() {
  static const GEnumValue values[] = {{0, "Sigmoid or softmax, unless the model ends in it", "auto"},
                                      {1, "None; outputs are probabilities", "none"},
                                      {2, "Sigmoid per channel", "sigmoid"},
                                      {3, "Softmax over channels", "softmax"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLSegmentActivation", values);
  return type;
}

}  // namespace sightglass
