// Appearance of a figure: skin, face, hair, clothes, accessories. Chosen by the seed; constant over time.
#pragma once

#include <cstdint>

#include "figure/random.h"
#include "figure/skeleton.h"

namespace sightglass::figure {

using Color = Vec3;  // R G B in [0,1], as displayed

enum class HairStyle : uint8_t {
  kBald,
  kBuzz,
  kShort,
  kSwept,
  kMedium,
  kBob,
  kLong,
  kWavy,
  kPonytail,
  kBun,
  kAfro,
  kCurls,
  kCount
};
enum class Headwear : uint8_t { kNone, kCap, kBeanie, kScarf, kHeadphones };
enum class Glasses : uint8_t { kNone, kThin, kThick, kDark };
enum class Pattern : uint8_t { kPlain, kStripes, kBands, kChecks, kDots, kPrint, kCamouflage, kKnit, kCount };
enum class Neckline : uint8_t { kRound, kV, kWide, kCollar, kTurtle, kHood, kStraps };
enum class Outer : uint8_t { kNone, kJacket, kCardigan, kZip };

struct Garment {
  Color a, b;
  Pattern pattern = Pattern::kPlain;
  float scale = 20;  // repeats per meter
  float sleeve = 2;  // where sleeves end: 0 at the shoulder, 1 at the elbow, 2 at the wrist
  float thickness = 0.01F;
};

struct Appearance {
  Color skin, lips, iris, hair, hair_tip;
  float freckles = 0, stubble = 0, beard = 0, makeup = 0, wrinkles = 0;  // 0 to 1
  float eye_size = 1, eye_distance = 1, brow_weight = 1, nose_width = 1, nose_length = 1, lip_size = 1;
  HairStyle style = HairStyle::kShort;
  float hairline = 0.55F;  // height above the head center, in half heads
  float fringe = 0;        // length of hair over the forehead, 0 to 1
  float parting = 0;       // slope of the hairline, -1 to 1
  float volume = 0.08F;    // thickness of the hair, in half heads
  float curl = 0.02F;      // roughness of its outline, in half heads
  float nape = -0.5F;      // where it ends at the back, in half heads
  float length = 0;        // of hanging hair, in meters
  bool in_front = false;   // hangs down in front of the shoulders
  Headwear headwear = Headwear::kNone;
  Color headwear_color, headphone_color;
  Glasses glasses = Glasses::kNone;
  Color glasses_color;
  bool face_mask = false;
  Color face_mask_color;
  Garment shirt, trousers;
  Neckline neckline = Neckline::kRound;
  float neck_depth = 0.05F;  // meters below the pit of the neck
  Outer outer = Outer::kNone;
  Garment coat;
  float sleeve_opacity = 1;  // of the shirt, if nothing is worn over it
  float lens_opacity = 0;    // of clear glasses; 0: no lenses
  bool tie = false;
  Color tie_color, shoes, shirt_print;
  bool skirt = false, bare_legs = false, neck_scarf = false;
  Color scarf_color;

  static Appearance of(uint32_t seed, const Body& body);
  // Makes sleeves and lenses translucent.
  void refine(uint32_t seed);
};

// A color of cloth or paint, usually muted.
Color any_color(Random& random);
// Skin color, from pale to dark, with a realistic distribution.
Color skin_color(Random& random);

}  // namespace sightglass::figure
