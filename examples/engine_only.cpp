// The engine without GStreamer: runs a segmentation model on an image in a GL texture, and writes the mask as a PNG.
//
//   engine_only MODEL.tflite IMAGE MASK.png
//
// For models that take RGB in [0,1] and output one probability per pixel, such as the MediaPipe selfie segmenter.
#include <cmath>
#include <cstdio>
#include <vector>

#include "picture_input.h"  // replace it with the source of your frames
#include "sightglass/device.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace {

using namespace sightglass;  // NOLINT(google-build-using-namespace): a program of one file

GLuint make_texture(const GlApi& gl, const Picture& picture) {
  std::vector<uint8_t> rgba;
  for (size_t at = 0; at < picture.pixels.size(); at += static_cast<size_t>(picture.channels)) {
    rgba.insert(rgba.end(), &picture.pixels[at], &picture.pixels[at] + 3);
    rgba.push_back(255);
  }
  GLuint texture = 0;
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, picture.width, picture.height);
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return texture;
}

Status run(const char* model_path, const char* picture_path, const char* mask_path) {
  // Create a GL context and make it current. Leave this out if your program already has one.
  auto context = interop::Context::create_headless();
  if (!context.ok()) return device_error(context.status().message());
  const interop::ScopedMakeCurrent current(**context);
  if (!current.ok()) return device_error(current.status().message());
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
  SIGHTGLASS_ASSIGN_OR_RETURN(const Picture picture, load_picture(picture_path, device.limits.max_texture_size));
  const GLuint texture = make_texture(gl, picture);
  SIGHTGLASS_RETURN_IF_ERROR(
      session->set_input_texture(0, {texture, GL_TEXTURE_2D, picture.width, picture.height},
                                 make_input_transform(picture.width, picture.height, size.w, size.h, Fit::kStretch)));
  SIGHTGLASS_RETURN_IF_ERROR(session->run());

  // Outputs can stay on the GPU as textures. This program reads the output back.
  const TensorInfo& info = model->outputs()[0];
  HostTensor probability(info.type, info.shape);
  SIGHTGLASS_RETURN_IF_ERROR(session->read_output(0, probability.data));
  Picture mask{mask_size.w, mask_size.h, 3, {}};
  for (const float p : probability.as<float>()) {
    const auto gray = static_cast<uint8_t>(std::lround(255 * std::fmin(std::fmax(p, 0.0f), 1.0f)));
    mask.pixels.insert(mask.pixels.end(), 3, gray);
  }
  gl.DeleteTextures(1, &texture);
  return save_png(mask, mask_path);
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
