#include "video/camera_keeper.h"

#include "video/input.h"
#include "video/launch_text.h"

namespace sightglass::video {

CameraKeeper::CameraKeeper(GstElement* pipeline, Settings settings)
    : pipeline_(pipeline), settings_(std::move(settings)) {
  camera_.reset(gst_bin_get_by_name(GST_BIN(pipeline_), kCameraElement));
  const PadPtr pad(gst_element_get_static_pad(camera_.get(), "src"));
  downstream_.reset(gst_pad_get_peer(pad.get()));
  watch(camera_.get());
}

CameraKeeper::~CameraKeeper() {
  if (timer_ != 0) g_source_remove(timer_);
}

void CameraKeeper::watch(GstElement* camera) {
  const PadPtr pad(gst_element_get_static_pad(camera, "src"));
  constexpr auto kData = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad.get(), kData, on_data, this, nullptr);
}

// A source ends its stream after an error. The pipeline must not see that end while the camera may come back.
GstPadProbeReturn CameraKeeper::on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* keeper = static_cast<CameraKeeper*>(data);
  if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    keeper->seen_frame_ = true;
    return GST_PAD_PROBE_OK;
  }
  const bool end = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS;
  return end && !keeper->ending_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

bool CameraKeeper::handle_error(GstMessage* error) {
  // An unplugged camera can report several errors.
  if (lost_ != nullptr && GST_MESSAGE_SRC(error) == GST_OBJECT(lost_.get())) return true;
  // Without a single frame, the camera is busy or unusable, and waiting would not help.
  if (camera_ == nullptr || !seen_frame_ || ending_ || GST_MESSAGE_SRC(error) != GST_OBJECT(camera_.get()))
    return false;
  remove_camera();
  settings_.changed(false);
  constexpr guint kSeconds = 1;
  timer_ = g_timeout_add_seconds(kSeconds, on_timer, this);
  return true;
}

void CameraKeeper::remove_camera() {
  gst_element_set_state(camera_.get(), GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline_), camera_.get());
  lost_ = std::move(camera_);
}

gboolean CameraKeeper::on_timer(gpointer data) {
  auto* keeper = static_cast<CameraKeeper*>(data);
  if (!keeper->settings_.available() || !keeper->insert_camera()) return G_SOURCE_CONTINUE;
  keeper->timer_ = 0;
  keeper->settings_.changed(true);
  return G_SOURCE_REMOVE;
}

bool CameraKeeper::insert_camera() {
  auto camera = parse_launch(settings_.text + " name=" + kCameraElement);
  if (!camera.ok()) return false;
  camera_ = std::move(camera).value();
  gst_bin_add(GST_BIN(pipeline_), camera_.get());
  watch(camera_.get());
  const PadPtr pad(gst_element_get_static_pad(camera_.get(), "src"));
  if (gst_pad_link(pad.get(), downstream_.get()) == GST_PAD_LINK_OK &&
      gst_element_sync_state_with_parent(camera_.get())) {
    return true;
  }
  remove_camera();
  return false;
}

void CameraKeeper::end_stream() {
  ending_ = true;
  if (camera_ == nullptr) gst_pad_send_event(downstream_.get(), gst_event_new_eos());
}

}  // namespace sightglass::video
