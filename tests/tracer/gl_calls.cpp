// GL calls with known transfers, for the test of the preload library.   gl_calls linked|egl|dlsym
// The argument selects how the functions are looked up. Exits with 77 if GL is not available.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <GLES3/gl31.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "sightglass/interop/egl_context.h"

namespace {

struct Gl {
  decltype(&glTexImage2D) tex_image;
  decltype(&glTexSubImage2D) tex_sub_image;
  decltype(&glReadPixels) read_pixels;
  decltype(&glBindBuffer) bind_buffer;
  decltype(&glDeleteBuffers) delete_buffers;
  decltype(&glBufferData) buffer_data;
  decltype(&glMapBufferRange) map_buffer_range;
  decltype(&glFinish) finish;
};

template <typename Find>
Gl find_all(Find find) {
  Gl gl{};
  const auto set = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
  };
  set(gl.tex_image, "glTexImage2D");
  set(gl.tex_sub_image, "glTexSubImage2D");
  set(gl.read_pixels, "glReadPixels");
  set(gl.bind_buffer, "glBindBuffer");
  set(gl.delete_buffers, "glDeleteBuffers");
  set(gl.buffer_data, "glBufferData");
  set(gl.map_buffer_range, "glMapBufferRange");
  set(gl.finish, "glFinish");
  return gl;
}

Gl find_functions(const std::string& way) {
  if (way == "egl") return find_all([](const char* name) { return reinterpret_cast<void*>(eglGetProcAddress(name)); });
  if (way == "dlsym") {
    void* library = dlopen("libGLESv2.so.2", RTLD_LAZY | RTLD_LOCAL);
    return find_all([library](const char* name) { return dlsym(library, name); });
  }
  return {glTexImage2D,    glTexSubImage2D, glReadPixels,     glBindBuffer,
          glDeleteBuffers, glBufferData,    glMapBufferRange, glFinish};
}

// Counted: 2 uploads of 16 x 8 RGBA pixels, 1 of 512 bytes through a buffer, 1 readback of 4 x 4, 1 map of 64 bytes, 1
// wait.
void make_calls(const Gl& gl) {
  std::array<unsigned char, 512> pixels{};
  GLuint texture = 0, frame = 0, buffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  gl.tex_image(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);  // allocates
  gl.tex_image(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glGenBuffers(1, &buffer);
  gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, buffer);
  gl.buffer_data(GL_PIXEL_UNPACK_BUFFER, 512, pixels.data(), GL_STREAM_DRAW);
  gl.tex_sub_image(GL_TEXTURE_2D, 0, 0, 0, 16, 4, GL_RGBA, GL_UNSIGNED_BYTE,
                   reinterpret_cast<void*>(256));  // from there
  gl.map_buffer_range(GL_PIXEL_UNPACK_BUFFER, 64, 64, GL_MAP_READ_BIT);
  glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
  gl.delete_buffers(1, &buffer);  // and binds none
  gl.tex_sub_image(GL_TEXTURE_2D, 0, 0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glGenFramebuffers(1, &frame);
  glBindFramebuffer(GL_FRAMEBUFFER, frame);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  gl.read_pixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  gl.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::printf("parent %d\n", static_cast<int>(getppid()));
  auto context = sightglass::interop::Context::create_headless();
  if (!context.ok()) return 77;
  bool good = false;
  std::thread worker([&] {
    pthread_setname_np(pthread_self(), "painter");
    const sightglass::interop::ScopedMakeCurrent current(**context);
    if (!current.ok()) return;
    make_calls(find_functions(argv[1]));
    good = glGetError() == GL_NO_ERROR;
  });
  worker.join();
  return good ? 0 : 1;
}
