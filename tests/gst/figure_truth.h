// True masks of glfiguresrc's frames, and the masks that elements make of them.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace sightglass::test {

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
