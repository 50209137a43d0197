// Frames of glfiguresrc, their true masks, and the masks that elements make of them.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "figure/figure_meta.h"
#include "gl_pictures.h"

namespace sightglass::test {

struct Figure {
  Rgba picture;
  std::array<SightglassKeyPoint, SIGHTGLASS_FIGURE_KEY_POINTS> key_points{};
};

// The first frame of glfiguresrc with these properties: "seed=2000005 framing=selfie". Training of the shipped model
// has seen no figure of a seed from 1000000 on.
Figure draw_figure(int32_t width, int32_t height, const std::string& properties);

// True masks, in the order of the frames that pass a pad; dense bytes of the picture's size.
struct Truths {
  std::mutex mutex;
  std::deque<std::vector<uint8_t>> masks;

  // From now on; this must outlive the pad's data flow.
  void collect_at(GstPad* pad);
};

// The first component of each pixel of a sample, which is unreferenced.
std::vector<uint8_t> take_first_component(GstSample* sample);

// The text of the first error on the pipeline's bus.
std::string error_of(GstElement* pipeline);

}  // namespace sightglass::test
