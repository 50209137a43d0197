// Frames of glfiguresrc, their ground-truth masks, and the masks that elements compute from them.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "gl_pictures.h"
#include "sightglass/gst/figure_meta.h"

namespace sightglass::test {

struct Figure {
  Rgba picture;
  std::array<SightglassKeyPoint, SIGHTGLASS_FIGURE_KEY_POINTS> key_points{};
  std::vector<uint8_t> mask;  // one byte per pixel
};

// Returns the first frame of glfiguresrc with these properties, such as "seed=2000005 framing=selfie". The bundled
// model was not trained on figures with seeds from 1000000 on.
Figure draw_figure(int32_t width, int32_t height, const std::string& properties);

// Ground-truth masks, in the order of the frames of a glfiguresrc: tightly packed bytes at the frame size.
struct Truths {
  std::mutex mutex;
  std::deque<std::vector<uint8_t>> masks;

  // Records from now on. This object must outlive the data flow of the element.
  void collect_from(GstElement* figure);
};

// Returns the first component of each pixel of a sample, and unreferences the sample.
std::vector<uint8_t> take_first_component(GstSample* sample);

}  // namespace sightglass::test
