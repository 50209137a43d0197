/*
 * The C API on an EGL context of its own: a texture in, a texture out. Segments an image and writes the mask.
 *
 *   c_texture MODEL.tflite IMAGE.ppm MASK.pgm
 *
 * For models that take RGB in [0,1] and output one probability per pixel, such as the bundled model `figure`.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <sightglass/sightglass.h>
#include <stdio.h>
#include <stdlib.h>

static SightglassGlFunction get_proc_address(const char* name, void* user_data) {
  (void)user_data;
  return eglGetProcAddress(name);
}

/* Your program probably has a context already. */
static int make_context(void) {
  EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  if (!eglInitialize(display, NULL, NULL)) display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API)) return 0;
  const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
  const EGLint context_attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  EGLConfig config = NULL;
  EGLint configs = 0;
  if (!eglChooseConfig(display, config_attributes, &config, 1, &configs) || configs == 0) return 0;
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes);
  return context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

/* A texture with the pixels of a binary PPM file; 0 on failure. */
static GLuint load_texture(const char* path, int* width, int* height) {
  GLuint texture = 0;
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  if (fscanf(file, "P6 %d %d 255%*c", width, height) == 2 && *width > 0 && *height > 0 && *width <= 4096 &&
      *height <= 4096) {
    const size_t pixels = (size_t)*width * (size_t)*height;
    unsigned char* rgb = malloc(3 * pixels);
    if (rgb != NULL && fread(rgb, 3, pixels, file) == pixels) {
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB8, *width, *height);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, *width, *height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    }
    free(rgb);
  }
  fclose(file);
  return texture;
}

/* Reads the mask back, which a real program would rather draw. */
static int save_mask(const SightglassTexture* mask, const char* path) {
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, mask->texture, 0);
  const size_t pixels = (size_t)mask->width * (size_t)mask->height;
  unsigned char* rgba = malloc(4 * pixels);
  FILE* file = fopen(path, "wb");
  int written = rgba != NULL && file != NULL;
  if (written) {
    glReadPixels(0, 0, mask->width, mask->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    fprintf(file, "P5 %d %d 255\n", mask->width, mask->height);
    for (size_t i = 0; i < pixels; ++i) fputc(rgba[4 * i], file);
    written = glGetError() == GL_NO_ERROR;
  }
  if (file != NULL && fclose(file) != 0) written = 0;
  free(rgba);
  glDeleteFramebuffers(1, &framebuffer);
  return written;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: c_texture MODEL.tflite IMAGE.ppm MASK.pgm\n");
    return 2;
  }
  if (!make_context()) {
    fprintf(stderr, "c_texture: cannot create an OpenGL ES 3.1 context\n");
    return 1;
  }
  SightglassDevice* device = NULL;
  SightglassModel* model = NULL;
  SightglassPlan* plan = NULL;
  SightglassSession* session = NULL;

  /* Once: the device, the file, a plan with a texture as input and output, and the GL objects. */
  SightglassInputOptions input = SIGHTGLASS_INPUT_OPTIONS_INIT;
  input.source = SIGHTGLASS_INPUT_TEXTURE;
  SightglassOutputOptions output = SIGHTGLASS_OUTPUT_OPTIONS_INIT;
  output.target = SIGHTGLASS_OUTPUT_TEXTURE;
  output.conversion = SIGHTGLASS_PROBABILITY;
  output.format = SIGHTGLASS_RGBA8;
  SightglassPlanOptions options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.inputs = &input;
  options.input_count = 1;
  options.outputs = &output;
  options.output_count = 1;
  if (sightglass_device_create(get_proc_address, NULL, NULL, &device) != SIGHTGLASS_OK ||
      sightglass_model_load_file(argv[1], NULL, &model) != SIGHTGLASS_OK ||
      sightglass_plan_build(model, device, &options, &plan) != SIGHTGLASS_OK ||
      sightglass_session_create(device, plan, &session) != SIGHTGLASS_OK) {
    fprintf(stderr, "c_texture: %s\n", sightglass_last_error());
    return 1;
  }

  /* For every frame: set the texture, and dispatch. Nothing waits and nothing is read back. */
  SightglassFrame frame = SIGHTGLASS_FRAME_INIT;
  frame.textures[0] = load_texture(argv[2], &frame.width, &frame.height);
  SightglassTexture mask;
  if (frame.textures[0] == 0 || sightglass_session_set_input_frame(session, 0, &frame, NULL) != SIGHTGLASS_OK ||
      sightglass_session_run(session) != SIGHTGLASS_OK ||
      sightglass_session_output_texture(session, 0, &mask) != SIGHTGLASS_OK || !save_mask(&mask, argv[3])) {
    fprintf(stderr, "c_texture: %s: %s\n", argv[2], sightglass_last_error());
    return 1;
  }

  sightglass_session_release(session);
  sightglass_plan_release(plan);
  sightglass_model_release(model);
  sightglass_device_release(device);
  return 0;
}
