// Which of several equivalent kernels runs a step fastest on one device, as it was measured. Plain data with a readable
// text form: one line a step, so that a file of it can be reviewed, compared and shipped with an appliance.
//
//   sightglass-tuning 1
//   device Mesa | llvmpipe (LLVM 15.0.6, 256 bits) | OpenGL ES 3.2 Mesa 22.3.6
//   conv2d 33x33x960 to 33x33x160 kernel 1x1 …: PIXELS=4 SLICES=4 LOCAL_X=32 loads=textures
//
// All choices give bit-identical results: they differ in register tile, work group and the way that buffers are read,
// never in the order of a sum or its precision.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gpu_engine/status.h"

namespace sightglass {

class Tuning {
 public:
  // Of a device, as device_name() in device.h has it; empty: of any.
  explicit Tuning(std::string device = {}) : device_(std::move(device)) {}
  // Fails, naming the line, on text that to_text() does not make. A choice that no kernel offers does no harm.
  static Result<Tuning> parse(std::string_view text);
  std::string to_text() const;

  const std::string& device() const { return device_; }
  bool empty() const { return choices_.empty(); }
  size_t size() const { return choices_.size(); }
  // The variant for a step of this kind, when one has been chosen.
  std::optional<std::string> choice(const std::string& step) const;
  // Neither may hold a line break, and the step no ": ".
  void choose(const std::string& step, const std::string& variant) { choices_[step] = variant; }
  // Adds what `other` has chosen; it wins.
  void merge(const Tuning& other);

  bool operator==(const Tuning&) const = default;

 private:
  std::string device_;
  std::map<std::string, std::string> choices_;
};

}  // namespace sightglass
