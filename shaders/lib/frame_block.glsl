// Position and color parameters of the frame (sightglass/frame_ref.h). They differ between elements, so they are not
// part of the program, which several elements may share.
#include "sightglass/frame_kind.h"
#include "sightglass/frame_ref.h"
layout(std140, binding = kFrameBinding) uniform Frame {
  vec4 frame_place[2];  // rows of the map from reader to stored-frame coordinates, in fractions; w: columns and rows
                        // of the stored frame
  vec4 frame_visible;   // the visible part of the stored frame: minimum and maximum coordinates
  vec4 frame_centers;   // centers of the outermost samples in there: filters reach no others
  vec4 frame_chroma_centers;  // the same in chroma planes
  vec4 frame_chroma;    // from frame coordinates to chroma plane coordinates: scale, offset
  vec4 frame_color[3];  // R, G, B of (Y, Cb, Cr, 1)
#ifdef FRAME_PARTS
  vec4 frame_parts[2 * kMostFrameParts];  // rows like those of frame_place, for each part
#endif
};
