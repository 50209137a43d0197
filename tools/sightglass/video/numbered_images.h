// Output as one image per frame, with numbers in the names: "frame-%05d.png".
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/status.h"

namespace sightglass::video {

// A name with one "%d", "%5d", or "%05d" after the last slash. Every other "%" is a part of the name.
struct NumberedName {
  std::string before, conversion, after;

  std::string at(uint64_t number) const;
  // For elements that take the name as a printf() format.
  std::string format() const;
  // Whether this is the name of one of the images.
  bool matches(const std::string& name) const;
};
// Nothing if the name has no number.
std::optional<NumberedName> parse_numbered_name(const std::string& name);

// Writes the images, each as a whole.
class NumberedImages {
 public:
  // Takes the frames of the file sink `element` of the pipeline. Failures are errors of that element.
  NumberedImages(GstElement* pipeline, const char* element, NumberedName name);
  NumberedImages(const NumberedImages&) = delete;
  NumberedImages& operator=(const NumberedImages&) = delete;

 private:
  static GstPadProbeReturn on_image(GstPad* pad, GstPadProbeInfo* info, gpointer images);
  void write(GstElement* sink, GstBuffer* buffer);

  const NumberedName name_;
  uint64_t next_ = 0;
};

}  // namespace sightglass::video
