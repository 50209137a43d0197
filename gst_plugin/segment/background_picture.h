// The image behind the foreground of glsegment: loads it, and chooses what to show while it is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "segment/segmenter.h"
#include "sightglass/status.h"

namespace sightglass {

class BackgroundPicture {
 public:
  // At the start of the element: fails if the settings want an image that is not there.
  Status start(const SegmentSettings& settings);
  void stop();
  // The maximum size of textures, in pixels in each direction.
  void set_largest(int32_t pixels) { largest_ = pixels; }

  // Streaming thread, or while it waits. The settings with the image, and with what was shown before in place of
  // background=image if there is none. A failure is a warning, reported once for each image.
  Status complete(std::shared_ptr<const ElementSettings>& settings);
  // The next complete() tries to load an image again.
  void forget_failure();
  // Any thread. What the element shows while it cannot show the image that the settings name; nothing if it can.
  std::optional<Background> shown_instead(const SegmentSettings& settings) const;

 private:
  Status load(const SegmentSettings& settings);

  mutable std::mutex mutex_;  // guards the next two
  Background shown_ = Background::kBlur;
  std::optional<std::string> missing_;  // location of an image that should be shown but cannot be

  std::shared_ptr<const ElementSettings> known_, completed_;  // what complete() was called with, and what it made
  std::shared_ptr<const Picture> picture_;
  std::optional<std::string> location_;  // of picture_, or of the one that failed to load
  int32_t largest_ = 0;
};

}  // namespace sightglass
