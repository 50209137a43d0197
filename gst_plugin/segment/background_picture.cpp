#include "segment/background_picture.h"

#include <utility>

#include "gobject/log.h"
#include "segment/picture.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

std::string location_of(const SegmentSettings& settings) { return settings.background_location.value_or(""); }

}  // namespace

Status BackgroundPicture::start(const SegmentSettings& settings) {
  const bool shows = settings.look.background == Background::kImage;
  if (shows && location_of(settings).empty()) {
    return invalid_argument("background=image needs a picture: set background-location=FILE");
  }
  {
    const std::lock_guard lock(mutex_);
    missing_.reset();
    shown_ = settings.look.background;
  }
  return shows ? Picture::check(location_of(settings)) : Status();
}

void BackgroundPicture::stop() {
  known_.reset();
  completed_.reset();
  picture_.reset();
  location_.reset();
}

void BackgroundPicture::forget_failure() {
  if (picture_ == nullptr) location_.reset();
}

std::optional<Background> BackgroundPicture::shown_instead(const SegmentSettings& settings) const {
  if (settings.look.background != Background::kImage) return {};
  const std::string location = location_of(settings);
  const std::lock_guard lock(mutex_);
  return location.empty() || location == missing_ ? std::optional(shown_) : std::nullopt;
}

Status BackgroundPicture::complete(std::shared_ptr<const ElementSettings>& settings) {
  if (settings == known_ && completed_ != nullptr) {
    settings = completed_;
    return {};
  }
  known_ = settings;
  auto own = std::make_shared<SegmentSettings>(static_cast<const SegmentSettings&>(*settings));
  const Status status = load(*own);
  const std::lock_guard lock(mutex_);
  // A previous image is no longer wanted unless it is visible.
  if (!status.ok() && shown_ != Background::kImage) picture_.reset();
  missing_.reset();
  Background& background = own->look.background;
  if (picture_ == nullptr && background == Background::kImage) {
    missing_ = location_of(*own);
    background = shown_;
  } else if (picture_ == nullptr) {
    location_.reset();  // so that the next attempt warns again
  }
  shown_ = background;
  own->picture = picture_;
  settings = completed_ = std::move(own);
  return status;
}

Status BackgroundPicture::load(const SegmentSettings& settings) {
  const std::string location = location_of(settings);
  if (settings.look.background != Background::kImage || location == location_) return {};
  location_ = location;  // also when it fails: one warning is enough
  if (location.empty()) {
    return invalid_argument(
        "background=image: cannot show an image: background-location is not set, and what was shown stays; set "
        "background-location to a PNG or JPEG file");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(picture_, Picture::load(location, largest_));
  GST_DEBUG_OBJECT(log_object(), "background image %s loaded", location.c_str());
  return {};
}

}  // namespace sightglass
