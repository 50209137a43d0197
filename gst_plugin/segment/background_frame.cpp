#include "segment/background_frame.h"

namespace sightglass {

BackgroundFrame::BackgroundFrame(GstBuffer* input, GstGLContext* context) {
  const BackgroundMeta* meta = background_meta_of(input);
  if (meta == nullptr) return;
  status_ = check_gl_memory(gst_buffer_peek_memory(meta->frame, 0), context);
  if (!status_.ok()) return;
  wait_for_buffer(meta->frame, context);
  pixel_aspect_ =
      static_cast<float>(GST_VIDEO_INFO_PAR_N(&meta->info)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&meta->info));
  mapped_.emplace(meta->frame, meta->info, GST_MAP_READ);
  if (mapped_->ok()) return;
  mapped_.reset();
  status_ = device_error("the background's frame cannot be mapped as a texture");
}

}  // namespace sightglass
