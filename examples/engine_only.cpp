// The engine without GStreamer: runs a segmentation model on an image in a GL texture, and writes the mask as a PNG.
//
//   engine_only MODEL.tflite IMAGE MASK.png
//
// For models that take RGB in [0,1] and output one probability per pixel, such as the MediaPipe selfie segmenter.
#include <gdk-pixbuf/gdk-pixbuf.h>  // replace it with the source of your frames

#include <cmath>
#include <cstdio>
#include <vector>

#include "sightglass/device.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace {

using namespace sightglass;  // NOLINT(google-build-using-namespace): a program of one file

GLuint make_texture(const GlApi& gl, const GdkPixbuf* rgba) {
  GLuint texture = 0;
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, gdk_pixbuf_get_width(rgba), gdk_pixbuf_get_height(rgba));
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, gdk_pixbuf_get_width(rgba), gdk_pixbuf_get_height(rgba), GL_RGBA,
                   GL_UNSIGNED_BYTE, gdk_pixbuf_read_pixels(rgba));
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return texture;
}

Status run(const char* model_path, const char* picture_path, const char* mask_path) {
  // Create a GL context and make it current. Leave this out if your program already has one.
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto context, interop::Context::create_headless());
  const interop::ScopedMakeCurrent current(*context);
  SIGHTGLASS_RETURN_IF_ERROR(current.status());
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, GlApi::load(&interop::Context::get_proc_address));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceInfo device, query_device(gl));

  // Once: load the file, plan for this device, and create the GL objects.
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto model, Model::load(model_path));
  const Bhwc size = Bhwc::from(model->inputs()[0].shape);
  const Bhwc mask_size = Bhwc::from(model->outputs()[0].shape);
  if (size.c != 3 || mask_size.c != 1) return unsupported(model->name() + " does not turn RGB into one mask");
  PlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kTexture;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, Plan::build(model, device.limits, options));
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(gl, plan));

  // For every frame: set the texture and how it maps to the model input; then dispatch.
  g_autoptr(GError) error = nullptr;
  g_autoptr(GdkPixbuf) file = gdk_pixbuf_new_from_file(picture_path, &error);
  if (file == nullptr) return not_found(error->message);
  g_autoptr(GdkPixbuf) picture = gdk_pixbuf_add_alpha(file, FALSE, 0, 0, 0);
  const int width = gdk_pixbuf_get_width(picture), height = gdk_pixbuf_get_height(picture);
  const GLuint texture = make_texture(gl, picture);
  SIGHTGLASS_RETURN_IF_ERROR(session->set_input_texture(
      0, {texture, GL_TEXTURE_2D, width, height}, make_input_transform(width, height, size.w, size.h, Fit::kStretch)));
  SIGHTGLASS_RETURN_IF_ERROR(session->run());

  // Outputs can stay on the GPU as textures. This program reads the output back.
  const TensorInfo& info = model->outputs()[0];
  HostTensor probability(info.type, info.shape);
  SIGHTGLASS_RETURN_IF_ERROR(session->read_output(0, probability.data));
  std::vector<uint8_t> gray;
  for (const float p : probability.as<float>())
    gray.insert(gray.end(), 3, static_cast<uint8_t>(std::lround(255 * std::fmin(std::fmax(p, 0.0f), 1.0f))));
  g_autoptr(GdkPixbuf) mask = gdk_pixbuf_new_from_data(gray.data(), GDK_COLORSPACE_RGB, FALSE, 8, mask_size.w,
                                                       mask_size.h, 3 * mask_size.w, nullptr, nullptr);
  gl.DeleteTextures(1, &texture);
  return gdk_pixbuf_save(mask, mask_path, "png", &error, nullptr) != 0 ? Status() : unsupported(error->message);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: engine_only MODEL.tflite IMAGE MASK.png\n");
    return 2;
  }
  const Status status = run(argv[1], argv[2], argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "engine_only: %s\n", status.message().c_str());
  return 1;
}
