/*
 * The C API of the Sightglass engine: runs TensorFlow Lite models in compute shaders of your GL context, on textures
 * of your GL context.
 *
 *   device   entry points and limits of a GL context, and shader programs shared by its sessions
 *   model    a .tflite file
 *   plan     a model prepared for a device: kernels chosen, memory laid out
 *   session  a plan with its GL objects; runs the model
 *
 * Errors: functions that can fail return a SightglassStatus. On failure, sightglass_last_error() is a message for
 * people, and output parameters are unchanged. No function aborts, throws or prints.
 *
 * Threads: a model or a plan can be used by any number of threads at a time. A device or a session can be used by one
 * thread at a time. Functions on devices and sessions require that the GL context of the device, or one that shares
 * objects with it, is current on the calling thread.
 *
 * Lifetimes: models, plans and devices are reference counted by the objects that were made of them, so you can release
 * them in any order. Strings and arrays that a function returns belong to the object that it was called with.
 *
 * Structures begin with `size`. Initialize them with the macro SIGHTGLASS_..._INIT, which sets it and the defaults: a
 * program compiled with this header then works with all later versions of the library that have the same soname.
 */
#ifndef SIGHTGLASS_H
#define SIGHTGLASS_H

#include <sightglass/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SIGHTGLASS_API __attribute__((visibility("default")))
#else
#define SIGHTGLASS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and errors ------------------------------------------------------------------------------------- */

/* Version of the loaded library, as SIGHTGLASS_VERSION of version.h. */
SIGHTGLASS_API uint32_t sightglass_version(void);

typedef enum {
  SIGHTGLASS_OK = 0,
  SIGHTGLASS_INVALID_ARGUMENT = 1,   /* the caller passed an unusable value */
  SIGHTGLASS_NOT_FOUND = 2,          /* a file or device does not exist */
  SIGHTGLASS_INVALID_MODEL = 3,      /* a model file is damaged or contradicts itself */
  SIGHTGLASS_UNSUPPORTED = 4,        /* a valid request that this engine or this device cannot satisfy */
  SIGHTGLASS_RESOURCE_EXHAUSTED = 5, /* out of GPU memory, or beyond a limit of the device or the options */
  SIGHTGLASS_DEVICE_ERROR = 6,       /* the GL driver reported a failure */
  SIGHTGLASS_INTERNAL = 7,           /* a broken invariant of the engine */
  SIGHTGLASS_OUT_OF_MEMORY = 8,      /* out of process memory */
  SIGHTGLASS_TIMED_OUT = 9           /* a run took longer than its limit */
} SightglassStatus;

/*
 * Message of the last failure of a function of this library on the calling thread, UTF-8. It names the file,
 * operator, tensor, index or device, and a fix if there is one. Valid until the next failure on this thread. Empty if
 * there was none.
 */
SIGHTGLASS_API const char* sightglass_last_error(void);

/* ---- Log ---------------------------------------------------------------------------------------------------- */

typedef enum {
  SIGHTGLASS_LOG_INFO = 0,  /* facts about a device or a model, once */
  SIGHTGLASS_LOG_DEBUG = 1, /* choices at startup, and rejected options with their reasons */
  SIGHTGLASS_LOG_TRACE = 2  /* every run and its steps */
} SightglassLogLevel;

/*
 * Receives messages: `message` is a single line without a line break, valid during the call. It is called on the
 * threads that call the library, on several at a time and with locks held: it must be thread-safe, and must not call
 * the library.
 */
typedef void (*SightglassLogFunction)(SightglassLogLevel level, const char* message, void* user_data);

/* Destination of messages up to `level`. `function` NULL: the library is silent. */
typedef struct {
  SightglassLogFunction function;
  void* user_data; /* must outlive every object that was created with this log */
  SightglassLogLevel level;
} SightglassLog;

/* ---- Device ------------------------------------------------------------------------------------------------- */

typedef struct SightglassDevice SightglassDevice;

/* The GL function of that name, such as "glDispatchCompute", or NULL: as eglGetProcAddress() returns it. */
typedef void (*SightglassGlFunction)(void);
typedef SightglassGlFunction (*SightglassGetProcAddress)(const char* name, void* user_data);

typedef struct {
  size_t size;
  SightglassLog log;
  /* Directory of compiled shader programs, for faster starts; NULL: none. Only its owner may have write access. */
  const char* program_directory;
} SightglassDeviceOptions;
#define SIGHTGLASS_DEVICE_OPTIONS_INIT \
  { sizeof(SightglassDeviceOptions), {NULL, NULL, SIGHTGLASS_LOG_INFO}, NULL }

/*
 * A device for the current GL context, which must have OpenGL ES 3.1, or desktop OpenGL with "#version 310 es" compute
 * shaders. Sessions on one device share shader programs and weights. Use one device per set of contexts that share
 * objects. `options` NULL: the defaults.
 */
SIGHTGLASS_API SightglassStatus sightglass_device_create(SightglassGetProcAddress get_proc_address, void* user_data,
                                                         const SightglassDeviceOptions* options,
                                                         SightglassDevice** device);
/* Releases it; NULL does nothing. The last of device and sessions deletes the shared GL objects. */
SIGHTGLASS_API void sightglass_device_release(SightglassDevice* device);
/* "vendor | renderer | version" of the context. Empty, with a message in sightglass_last_error(), if it is NULL. */
SIGHTGLASS_API const char* sightglass_device_name(const SightglassDevice* device);

/* ---- Model -------------------------------------------------------------------------------------------------- */

typedef struct SightglassModel SightglassModel;

typedef enum {
  SIGHTGLASS_FLOAT32 = 0,
  SIGHTGLASS_FLOAT16 = 1,
  SIGHTGLASS_INT8 = 2,
  SIGHTGLASS_UINT8 = 3,
  SIGHTGLASS_INT16 = 4,
  SIGHTGLASS_INT32 = 5,
  SIGHTGLASS_INT64 = 6,
  SIGHTGLASS_BOOL = 7
} SightglassDataType;

#define SIGHTGLASS_MAX_RANK 8

/* An input or output of a model. */
typedef struct {
  size_t size;
  const char* name; /* as in the file; not unique in some files */
  SightglassDataType type;
  int32_t rank;
  int32_t dims[SIGHTGLASS_MAX_RANK]; /* outermost first: batch, rows, columns, channels for images */
  size_t bytes;                      /* of the tightly packed tensor */
  /* real value = scale * (stored value - zero_point); scale is 0 for tensors that are not quantized */
  float scale;
  int64_t zero_point;
} SightglassTensorInfo;
#define SIGHTGLASS_TENSOR_INFO_INIT \
  { sizeof(SightglassTensorInfo), NULL, SIGHTGLASS_FLOAT32, 0, {0}, 0, 0, 0 }

/* Overrides the shape that the file declares for an input: fully convolutional models accept images of many sizes. */
typedef struct {
  size_t size;
  const char* input; /* its name, or its index if no input has that name */
  int32_t rank;
  int32_t dims[SIGHTGLASS_MAX_RANK];
} SightglassInputShape;
#define SIGHTGLASS_INPUT_SHAPE_INIT              \
  {                                              \
    sizeof(SightglassInputShape), NULL, 0, { 0 } \
  }

typedef struct {
  size_t size;
  SightglassLog log;
  const SightglassInputShape* input_shapes;
  size_t input_shape_count;
  /* Maximum memory of all models of the process in bytes, positive: a file that would exceed it is rejected. */
  int64_t memory_limit;
  /* Of a file with several entry points: the one to run. NULL or empty: the first subgraph. */
  const char* signature;
} SightglassModelOptions;
#define SIGHTGLASS_MODEL_OPTIONS_INIT \
  { sizeof(SightglassModelOptions), {NULL, NULL, SIGHTGLASS_LOG_INFO}, NULL, 0, 1073741824, NULL }

/* Reads a .tflite file, which may change afterward. Fails if it changes in the meantime. */
SIGHTGLASS_API SightglassStatus sightglass_model_load_file(const char* path, const SightglassModelOptions* options,
                                                           SightglassModel** model);
/* Copies `bytes` bytes at `data`. Messages call the model `name`. */
SIGHTGLASS_API SightglassStatus sightglass_model_load_memory(const void* data, size_t bytes, const char* name,
                                                             const SightglassModelOptions* options,
                                                             SightglassModel** model);
SIGHTGLASS_API void sightglass_model_release(SightglassModel* model);
/* 0, with a message in sightglass_last_error(), if it is NULL. */
SIGHTGLASS_API size_t sightglass_model_input_count(const SightglassModel* model);
SIGHTGLASS_API size_t sightglass_model_output_count(const SightglassModel* model);
/* Fills `info`, whose `size` the caller has set. */
SIGHTGLASS_API SightglassStatus sightglass_model_input(const SightglassModel* model, size_t input,
                                                       SightglassTensorInfo* info);
SIGHTGLASS_API SightglassStatus sightglass_model_output(const SightglassModel* model, size_t output,
                                                        SightglassTensorInfo* info);

/* ---- Plan --------------------------------------------------------------------------------------------------- */

typedef struct SightglassPlan SightglassPlan;

typedef enum {
  SIGHTGLASS_INPUT_HOST = 0,   /* sightglass_session_write_input(): an explicit upload */
  SIGHTGLASS_INPUT_TEXTURE = 1 /* sightglass_session_set_input_frame(): sampled by the first operator */
} SightglassInputSource;

/* Texture layout of a frame. */
typedef enum {
  SIGHTGLASS_FRAME_RGBA = 0,        /* one 2D color texture */
  SIGHTGLASS_FRAME_EXTERNAL = 1,    /* one GL_TEXTURE_EXTERNAL_OES, which the driver converts to RGB */
  SIGHTGLASS_FRAME_TWO_PLANES = 2,  /* 2D textures of Y, and of Cb and Cr in R and G: NV12 */
  SIGHTGLASS_FRAME_THREE_PLANES = 3 /* 2D textures of Y, Cb and Cr: I420 */
} SightglassFrameKind;

typedef struct {
  size_t size;
  SightglassInputSource source;
  SightglassFrameKind frame; /* of textures */
  /* For textures: tensor value = scale * sample + offset per channel R G B A, with samples in [0,1]. */
  float scale[4];
  float offset[4];
  float padding[4]; /* sample outside the texture, for letterbox bars */
} SightglassInputOptions;
#define SIGHTGLASS_INPUT_OPTIONS_INIT                                                                           \
  {                                                                                                             \
    sizeof(SightglassInputOptions), SIGHTGLASS_INPUT_HOST, SIGHTGLASS_FRAME_RGBA, {1, 1, 1, 1}, {0, 0, 0, 0}, { \
      0, 0, 0, 1                                                                                                \
    }                                                                                                           \
  }

typedef enum {
  SIGHTGLASS_OUTPUT_HOST = 0,    /* sightglass_session_read_output(): an explicit readback */
  SIGHTGLASS_OUTPUT_TEXTURE = 1, /* sightglass_session_output_texture(): a 2D texture of the tensor width and height */
  SIGHTGLASS_OUTPUT_BUFFER = 2,  /* sightglass_session_output_buffer(): tightly packed 32-bit floats in GL memory */
  SIGHTGLASS_OUTPUT_NONE = 3     /* unused; at least one output must be used */
} SightglassOutputTarget;

typedef enum {
  SIGHTGLASS_COPY = 0,       /* the first four channels into R G B A */
  SIGHTGLASS_PROBABILITY = 1 /* `activation`, then the sum over `classes`, in [0,1], into R, G and B; A is 1 */
} SightglassConversion;

typedef enum { SIGHTGLASS_NO_ACTIVATION = 0, SIGHTGLASS_SIGMOID = 1, SIGHTGLASS_SOFTMAX = 2 } SightglassActivation;

typedef enum { SIGHTGLASS_RGBA8 = 0, SIGHTGLASS_RGBA16F = 1, SIGHTGLASS_RGBA32F = 2 } SightglassTextureFormat;

typedef struct {
  size_t size;
  SightglassOutputTarget target;
  /* For textures: */
  SightglassConversion conversion;
  SightglassActivation activation; /* not yet applied by the model */
  const int32_t* classes;          /* channels to add up; NULL: all but channel 0, or the only one */
  size_t class_count;
  SightglassTextureFormat format;
} SightglassOutputOptions;
#define SIGHTGLASS_OUTPUT_OPTIONS_INIT                                                                           \
  {                                                                                                              \
    sizeof(SightglassOutputOptions), SIGHTGLASS_OUTPUT_HOST, SIGHTGLASS_COPY, SIGHTGLASS_NO_ACTIVATION, NULL, 0, \
        SIGHTGLASS_RGBA16F                                                                                       \
  }

typedef enum { SIGHTGLASS_FP32 = 0, SIGHTGLASS_FP16 = 1 } SightglassPrecision; /* of stored activations and weights */

typedef struct {
  size_t size;
  SightglassLog log;
  const SightglassInputOptions* inputs; /* by model input; missing ones have the defaults */
  size_t input_count;
  const SightglassOutputOptions* outputs; /* by model output; missing ones have the defaults */
  size_t output_count;
  SightglassPrecision precision;
  bool cpu_fallback; /* runs unsupported operators on the CPU, slowly, instead of failing */
  bool reset_state;  /* every run of a recurrent model starts from its initial state */
  /* Positive. A plan or a session fails if all models of the process would hold more bytes, in files and on the GPU. */
  int64_t memory_limit;
  /* In nanoseconds, positive. A plan fails if one dispatch, or one run, is estimated to take longer on a slow device of
   * this kind. A long run that takes longer than its limit ends with SIGHTGLASS_TIMED_OUT. */
  int64_t dispatch_limit, run_limit;
} SightglassPlanOptions;
#define SIGHTGLASS_PLAN_OPTIONS_INIT                                                                                   \
  {                                                                                                                    \
    sizeof(SightglassPlanOptions), {NULL, NULL, SIGHTGLASS_LOG_INFO}, NULL, 0, NULL, 0, SIGHTGLASS_FP32, false, false, \
        1073741824, 2000000000, 15000000000                                                                            \
  }

/* Fails with a list of all unsupported operators, each with the reason and a fix. Makes no GL call. */
SIGHTGLASS_API SightglassStatus sightglass_plan_build(const SightglassModel* model, const SightglassDevice* device,
                                                      const SightglassPlanOptions* options, SightglassPlan** plan);
SIGHTGLASS_API void sightglass_plan_release(SightglassPlan* plan);

typedef struct {
  size_t size;
  int64_t gpu_bytes;         /* activations, constants and weights in GL buffers */
  int32_t dispatches;        /* per run */
  int32_t programs;          /* distinct shader programs */
  int64_t transferred_bytes; /* between CPU and GPU per run, by operators on the CPU; 0 without them */
} SightglassPlanInfo;
#define SIGHTGLASS_PLAN_INFO_INIT \
  { sizeof(SightglassPlanInfo), 0, 0, 0, 0 }

/* Fills `info`, whose `size` the caller has set. */
SIGHTGLASS_API SightglassStatus sightglass_plan_info(const SightglassPlan* plan, SightglassPlanInfo* info);

/* ---- Session ------------------------------------------------------------------------------------------------ */

typedef struct SightglassSession SightglassSession;

/*
 * Compiles shader programs, allocates and uploads everything, so that runs do not.
 *
 * GL state after this and the following functions: no program, vertex array or framebuffer is bound, texture unit 0
 * is active, and every buffer binding, texture unit and sampler that was used is unbound. Nothing else is changed.
 */
SIGHTGLASS_API SightglassStatus sightglass_session_create(const SightglassDevice* device, const SightglassPlan* plan,
                                                          SightglassSession** session);
/* Deletes its GL objects; NULL does nothing. */
SIGHTGLASS_API void sightglass_session_release(SightglassSession* session);
/* Releases it after its GL context was lost: makes no GL call. */
SIGHTGLASS_API void sightglass_session_abandon(SightglassSession* session);

typedef enum { SIGHTGLASS_BT601 = 0, SIGHTGLASS_BT709 = 1, SIGHTGLASS_BT2020 = 2 } SightglassColorSpace;

/*
 * A frame in textures of the caller. They are read with samplers of the library: texture parameters are neither used
 * nor changed. sRGB textures are read as stored, without a conversion to linear colors, if the context has
 * GL_EXT_texture_sRGB_decode.
 */
typedef struct {
  size_t size;
  SightglassFrameKind kind; /* as planned */
  uint32_t textures[3];     /* GL names, one per plane */
  int32_t width, height;    /* in pixels, of the first plane */
  /* Visible part, as fractions: minimum x, y, maximum x, y. Nothing outside of it is sampled. */
  float visible[4];
  /* For planes: */
  SightglassColorSpace color_space;
  bool full_range;  /* luma from 0 to 255 instead of 16 to 235 */
  bool swap_chroma; /* the second plane has Cr in R and Cb in G: NV21; or the second plane is Cr: YV12 */
  int32_t chroma_width, chroma_height; /* of the Cb and Cr planes in pixels; required only if `visible` is a part */
} SightglassFrame;
#define SIGHTGLASS_FRAME_INIT                                                                                         \
  {                                                                                                                   \
    sizeof(SightglassFrame), SIGHTGLASS_FRAME_RGBA, {0, 0, 0}, 0, 0, {0, 0, 1, 1}, SIGHTGLASS_BT601, false, false, 0, \
        0                                                                                                             \
  }

/* How a frame is scaled to a model input of another aspect ratio. */
typedef enum {
  SIGHTGLASS_STRETCH = 0,   /* each axis independently */
  SIGHTGLASS_LETTERBOX = 1, /* the whole frame, centered, with bars of the planned padding */
  SIGHTGLASS_COVER = 2      /* fills the input; the frame is cropped */
} SightglassFit;

/*
 * Row-major 2x3 matrix from positions in the model input to positions in the frame, as fractions: (0,0) is the top
 * left corner of the first stored row.
 */
typedef struct {
  float m[6];
} SightglassTransform;

/*
 * The transform of a frame that is stored upright. Sizes are in pixels and positive. If an argument is invalid, the
 * frame is stretched, and sightglass_last_error() has the reason.
 */
SIGHTGLASS_API SightglassTransform sightglass_fit_transform(int32_t frame_width, int32_t frame_height,
                                                            int32_t input_width, int32_t input_height,
                                                            SightglassFit fit);

/*
 * Sets the frame that the next runs read for an input planned as SIGHTGLASS_INPUT_TEXTURE. `transform` NULL: the
 * frame is stretched. Makes no GL call.
 */
SIGHTGLASS_API SightglassStatus sightglass_session_set_input_frame(SightglassSession* session, size_t input,
                                                                   const SightglassFrame* frame,
                                                                   const SightglassTransform* transform);
/* Uploads an input planned as SIGHTGLASS_INPUT_HOST: `bytes` must be those of its SightglassTensorInfo. */
SIGHTGLASS_API SightglassStatus sightglass_session_write_input(SightglassSession* session, size_t input,
                                                               const void* data, size_t bytes);

/* Issues the dispatches of one run and returns without waiting for the GPU. */
SIGHTGLASS_API SightglassStatus sightglass_session_run(SightglassSession* session);
/*
 * A run in parts, so that other GPU work can run in between: issues about the fraction `share`, in (0,1], of the work.
 * `*done` is the fraction issued so far, exactly 1 when the run is complete. Until then, outputs have the results of
 * the previous run.
 */
SIGHTGLASS_API SightglassStatus sightglass_session_run_part(SightglassSession* session, double share, double* done);
/* The next run of a recurrent model starts from its initial state. */
SIGHTGLASS_API SightglassStatus sightglass_session_reset_state(SightglassSession* session);

typedef struct {
  uint32_t texture;      /* GL name of a 2D texture */
  int32_t width, height; /* in pixels */
} SightglassTexture;

/* A range of a GL buffer, in bytes. The offset is a multiple of 256. */
typedef struct {
  uint32_t buffer; /* GL name */
  int64_t offset, bytes;
} SightglassBufferRange;

/*
 * Where runs write an output planned as SIGHTGLASS_OUTPUT_TEXTURE or SIGHTGLASS_OUTPUT_BUFFER. Always the same one; it
 * belongs to the session. GL commands that are issued after a run read the results of that run.
 */
SIGHTGLASS_API SightglassStatus sightglass_session_output_texture(const SightglassSession* session, size_t output,
                                                                  SightglassTexture* texture);
SIGHTGLASS_API SightglassStatus sightglass_session_output_buffer(const SightglassSession* session, size_t output,
                                                                 SightglassBufferRange* range);
/*
 * Waits for the GPU and reads an output planned as SIGHTGLASS_OUTPUT_HOST: tightly packed, row-major; `bytes` must be
 * those of its SightglassTensorInfo.
 */
SIGHTGLASS_API SightglassStatus sightglass_session_read_output(SightglassSession* session, size_t output, void* data,
                                                               size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* SIGHTGLASS_H */
