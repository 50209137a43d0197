#!/usr/bin/env python3
"""The C API from Python, with ctypes: a texture in, a texture out. Segments an image and writes the mask.

    python_engine.py MODEL.tflite IMAGE.ppm MASK.pgm

Needs libsightglass.so.0, libEGL and libGLESv2, and no Python package. For models that take RGB in [0,1] and output one
probability per pixel, such as the bundled model `figure`.
"""
import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint, c_uint32
from ctypes import c_void_p

EGL, GL = ctypes.CDLL("libEGL.so.1"), ctypes.CDLL("libGLESv2.so.2")
LIBRARY = ctypes.CDLL("libsightglass.so.0")
LIBRARY.sightglass_last_error.restype = c_char_p
GET_PROC_ADDRESS = ctypes.CFUNCTYPE(c_void_p, c_char_p, c_void_p)


class Log(Structure):
    _fields_ = [("function", c_void_p), ("user_data", c_void_p), ("level", c_int)]


class Sized(Structure):
    """A structure of sightglass.h. Sets its size; the caller sets the other fields."""

    def __init__(self, **fields) -> None:
        super().__init__(size=ctypes.sizeof(type(self)), **fields)


class InputOptions(Sized):
    _fields_ = [("size", c_size_t), ("source", c_int), ("frame", c_int),
                ("scale", c_float * 4), ("offset", c_float * 4), ("padding", c_float * 4)]


class OutputOptions(Sized):
    _fields_ = [("size", c_size_t), ("target", c_int), ("conversion", c_int), ("activation", c_int),
                ("classes", c_void_p), ("class_count", c_size_t), ("format", c_int)]


class PlanOptions(Sized):
    _fields_ = [("size", c_size_t), ("log", Log), ("inputs", POINTER(InputOptions)), ("input_count", c_size_t),
                ("outputs", POINTER(OutputOptions)), ("output_count", c_size_t), ("precision", c_int),
                ("cpu_fallback", c_bool), ("reset_state", c_bool)]


class Frame(Sized):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("textures", c_uint32 * 3), ("width", c_int32),
                ("height", c_int32), ("visible", c_float * 4), ("color_space", c_int), ("full_range", c_bool),
                ("swap_chroma", c_bool), ("chroma_width", c_int32), ("chroma_height", c_int32)]


class Texture(Structure):
    _fields_ = [("texture", c_uint32), ("width", c_int32), ("height", c_int32)]


def check(status: int) -> None:
    if status != 0:
        sys.exit("python_engine.py: " + LIBRARY.sightglass_last_error().decode())


def make_context() -> None:
    """Creates an OpenGL ES 3.1 context without a window. Your program may have one already."""
    EGL.eglGetPlatformDisplay.restype = EGL.eglCreateContext.restype = EGL.eglGetProcAddress.restype = c_void_p
    display = c_void_p(EGL.eglGetPlatformDisplay(0x31DD, None, None))  # EGL_PLATFORM_SURFACELESS_MESA
    config, configs = c_void_p(), c_int()
    attributes = (c_int * 5)(0x3040, 0x40, 0x3033, 0, 0x3038)  # EGL_OPENGL_ES3_BIT, no surface type
    version = (c_int * 5)(0x3098, 3, 0x30FB, 1, 0x3038)
    EGL.eglInitialize(display, None, None)
    EGL.eglBindAPI(0x30A0)  # EGL_OPENGL_ES_API
    EGL.eglChooseConfig(display, attributes, byref(config), 1, byref(configs))
    context = c_void_p(EGL.eglCreateContext(display, config, None, version))
    if not EGL.eglMakeCurrent(display, None, None, context):
        sys.exit("python_engine.py: cannot create an OpenGL ES 3.1 context")


def load_texture(path: str) -> Frame:
    """A frame with the pixels of a binary PPM file."""
    with open(path, "rb") as file:
        data = file.read()
    magic, width, height, depth = data.split(maxsplit=4)[:4]
    if magic != b"P6" or depth != b"255":
        sys.exit(f"python_engine.py: {path}: not a binary PPM file with 8 bits per channel")
    width, height = int(width), int(height)
    texture = c_uint()
    GL.glGenTextures(1, byref(texture))
    GL.glBindTexture(0x0DE1, texture)  # GL_TEXTURE_2D
    GL.glPixelStorei(0x0CF5, 1)  # GL_UNPACK_ALIGNMENT
    GL.glTexStorage2D(0x0DE1, 1, 0x8051, width, height)  # GL_RGB8
    GL.glTexSubImage2D(0x0DE1, 0, 0, 0, width, height, 0x1907, 0x1401, data[-3 * width * height:])
    return Frame(textures=(texture.value, 0, 0), width=width, height=height, visible=(0, 0, 1, 1))


def read_mask(mask: Texture) -> bytes:
    """Reads the mask back, which a real program would rather draw."""
    framebuffer = c_uint()
    GL.glGenFramebuffers(1, byref(framebuffer))
    GL.glBindFramebuffer(0x8D40, framebuffer)  # GL_FRAMEBUFFER
    GL.glFramebufferTexture2D(0x8D40, 0x8CE0, 0x0DE1, mask.texture, 0)
    pixels = ctypes.create_string_buffer(4 * mask.width * mask.height)
    GL.glReadPixels(0, 0, mask.width, mask.height, 0x1908, 0x1401, pixels)  # GL_RGBA, GL_UNSIGNED_BYTE
    return pixels.raw[::4]


def main(model_path: str, image_path: str, mask_path: str) -> None:
    make_context()
    resolve = GET_PROC_ADDRESS(lambda name, _: EGL.eglGetProcAddress(name))
    device, model, plan, session = c_void_p(), c_void_p(), c_void_p(), c_void_p()
    # Once: the device, the file, a plan with a texture as input and output, and the GL objects.
    source = InputOptions(source=1, scale=(1, 1, 1, 1), padding=(0, 0, 0, 1))  # SIGHTGLASS_INPUT_TEXTURE
    target = OutputOptions(target=1, conversion=1, format=0)  # a texture of probabilities, RGBA8
    options = PlanOptions(inputs=ctypes.pointer(source), input_count=1, outputs=ctypes.pointer(target), output_count=1)
    check(LIBRARY.sightglass_device_create(resolve, None, None, byref(device)))
    check(LIBRARY.sightglass_model_load_file(model_path.encode(), None, byref(model)))
    check(LIBRARY.sightglass_plan_build(model, device, byref(options), byref(plan)))
    check(LIBRARY.sightglass_session_create(device, plan, byref(session)))
    # For every frame: set the texture, and dispatch. Nothing waits and nothing is read back.
    frame, mask = load_texture(image_path), Texture()
    check(LIBRARY.sightglass_session_set_input_frame(session, c_size_t(0), byref(frame), None))
    check(LIBRARY.sightglass_session_run(session))
    check(LIBRARY.sightglass_session_output_texture(session, c_size_t(0), byref(mask)))
    with open(mask_path, "wb") as file:
        file.write(f"P5 {mask.width} {mask.height} 255\n".encode() + read_mask(mask))
    LIBRARY.sightglass_session_release(session)
    for name, handle in (("plan", plan), ("model", model), ("device", device)):
        LIBRARY[f"sightglass_{name}_release"](handle)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python_engine.py MODEL.tflite IMAGE.ppm MASK.pgm")
    main(*sys.argv[1:])
