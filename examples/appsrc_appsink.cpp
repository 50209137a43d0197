// An application with its own frames in textures: pushes them into a pipeline, and receives the composited frames as
// textures. Frames stay on the GPU in both directions. Here the frames are an image that moves to the right.
//
//   appsrc_appsink IMAGE.ppm [FRAMES [LAST.ppm]]
//
// Pushes FRAMES frames (default: 60), and writes the last composited one to LAST.ppm.
#include <GLES3/gl3.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::atomic<bool> interrupted = false;

struct App {
  GstGLContext* context = nullptr;  // the application draws with it, and the elements share its objects
  GstVideoInfo info;                // of the frames
  std::vector<char> image;          // RGB
  GLuint texture = 0, framebuffers[2] = {};
  GstBuffer* frame = nullptr;  // to draw
  int number = 0;
};

bool load(const char* path, App& app) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, maximum = 0;
  if (!(file >> magic >> width >> height >> maximum) || magic != "P6" || maximum != 255) return false;
  if (width < 1 || height < 1 || width > 4096 || height > 4096) return false;
  app.image.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  gst_video_info_set_format(&app.info, GST_VIDEO_FORMAT_RGBA, width, height);
  return file.get() && file.read(app.image.data(), static_cast<std::streamsize>(app.image.size()));
}
