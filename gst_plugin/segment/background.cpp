#include "segment/background.h"

#include <utility>

#include "gl/gl_bridge.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
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

namespace {

// The frame of the background video that belongs to a frame, mapped for drawing on the GL thread.
class BackgroundFrame {
 public:
  BackgroundFrame(const BackgroundMeta& meta, GstGLContext* context) {
    status_ = check_gl_memory(gst_buffer_peek_memory(meta.frame, 0), context);
    if (!status_.ok()) return;
    wait_for_buffer(meta.frame, context);
    pixel_aspect_ =
        static_cast<float>(GST_VIDEO_INFO_PAR_N(&meta.info)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&meta.info));
    mapped_.emplace(meta.frame, meta.info, GST_MAP_READ);
    if (!mapped_->ok()) status_ = device_error("the background's frame cannot be mapped as a texture");
  }

  const Status& status() const { return status_; }
  TextureRef texture() const { return mapped_->texture(); }
  float pixel_aspect() const { return pixel_aspect_; }

 private:
  Status status_;
  std::optional<MappedTexture> mapped_;
  float pixel_aspect_ = 1;
};

}  // namespace

void FrameBackdrop::resize(const FrameSize& size) {
  size_ = size;
  uploaded_.reset();
}

Status FrameBackdrop::update_picture(const SegmentSettings& settings, Compositor& compositor) {
  const PictureFit fit = settings.background_fit;
  if (settings.picture == nullptr || (settings.picture == uploaded_ && fit == fit_)) return {};
  uploaded_ = settings.picture;
  fit_ = fit;
  SIGHTGLASS_ASSIGN_OR_RETURN(const Picture::Scaled scaled,
                              uploaded_->scale(size_.width, size_.height, fit, size_.pixel_aspect));
  return compositor.set_picture(scaled.pixels, scaled.place);
}

Status FrameBackdrop::prepare(FrameJob& job, Compositor& compositor, GstGLContext* context) {
  const auto& settings = static_cast<const SegmentSettings&>(*job.settings);
  compositor.pass_time(clock_.seconds_to(job.time));
  SIGHTGLASS_RETURN_IF_ERROR(update_picture(settings, compositor));
  const PictureFit fit = settings.background_fit;
  const BackgroundMeta* meta = job.input != nullptr ? background_meta_of(job.input) : nullptr;
  if (meta == nullptr) {
    compositor.set_video({}, 1, fit);
    return {};
  }
  const auto behind = std::make_shared<BackgroundFrame>(*meta, context);
  SIGHTGLASS_RETURN_IF_ERROR(behind->status());
  compositor.set_video(behind->texture(), behind->pixel_aspect(), fit);
  job.kept = behind;
  return {};
}

}  // namespace sightglass
