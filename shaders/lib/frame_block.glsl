// Where the frame is read, and how (gpu_engine/frame_ref.h). What differs between elements is no part of the program,
// which several may use at the same time.
#include "gpu_engine/frame_ref.h"
layout(std140, binding = kFrameBinding) uniform Frame {
  vec4 frame_place[2];  // rows of the map from the reader's fractions to the stored frame's; the fourth number is unused
  vec4 frame_visible;   // the part of the stored frame that is to be seen: least and greatest place
  vec4 frame_centers;   // of the outermost samples in there: filters reach no others
  vec4 frame_chroma_centers;  // the same in planes of chroma
  vec4 frame_chroma;    // from a place in the frame to the same one in planes of chroma: scale, offset
  vec4 frame_color[3];  // R, G, B of (Y, Cb, Cr, 1)
};
