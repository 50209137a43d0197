// The measured fastest of several equivalent kernels for each step on one device. Plain data with a readable text form,
// one line per step, so that you can review, compare and ship its files.
//
//   sightglass-tuning 1
//   device Mesa | llvmpipe (LLVM 15.0.6, 256 bits) | OpenGL ES 3.2 Mesa 22.3.6
//   conv2d 33x33x960 to 33x33x160 kernel 1x1 …: PIXELS=4 SLICES=4 LOCAL_X=32 loads=textures
//
// All choices give bit-identical results: they differ in register tile, work group and buffer access, never in the
// order or precision of a sum.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

class Tuning {
 public:
  // For a device, named as by device_name() in device.h; empty: any.
  explicit Tuning(std::string device = {}) : device_(std::move(device)) {}
  // Fails, naming the line, on text that to_text() does not produce. A choice that no kernel offers is ignored.
  static Result<Tuning> parse(std::string_view text);
  std::string to_text() const;

  const std::string& device() const { return device_; }
  bool empty() const { return choices_.empty(); }
  size_t size() const { return choices_.size(); }
  // The chosen variant for a step of this kind, if any.
  std::optional<std::string> choice(const std::string& step) const;
  // Neither may contain a line break, and `step` must not contain ": ".
  void choose(const std::string& step, const std::string& variant) { choices_[step] = variant; }
  // Adds the choices of `other`, which take precedence.
  void merge(const Tuning& other);

  bool operator==(const Tuning&) const = default;

 private:
  std::string device_;
  std::map<std::string, std::string> choices_;
};

}  // namespace sightglass
