// What is behind the foreground of glsegment besides the frame itself: an image, or the frame of a second video.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "element/effect.h"
#include "element/model_pace.h"
#include "segment/compositor.h"
#include "segment/settings.h"
#include "sightglass/status.h"

namespace sightglass {

// Loads the image, and chooses what to show while it is missing.
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

// What frames are composited with besides the mask: an image, or the frame of a second video.
class FrameBackdrop {
 public:
  // After that of the compositor.
  void resize(const FrameSize& size);
  // Gives the compositor the image of the settings, if it changed.
  Status update_picture(const SegmentSettings& settings, Compositor& compositor);
  // The same, and the video frame that is attached to the frame, and its time; fails if that cannot be shown. Needs
  // `context` current.
  Status prepare(FrameJob& job, Compositor& compositor, GstGLContext* context);

 private:
  std::shared_ptr<const Picture> uploaded_;
  PictureFit fit_ = PictureFit::kCover;
  FrameSize size_;
  FrameClock clock_;
};

}  // namespace sightglass
