#include "gl/gl_bridge.h"

#include <gst/video/video.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gl/shaders.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gpu_engine/device_family.h"
#include "sightglass/cache_folder.h"
#include "sightglass/interop/egl_context.h"

#define GST_CAT_DEFAULT sightglass::gl_log()

namespace sightglass {

GlApi::GetProcAddress proc_address_of(GstGLContext* context) {
  return [context](const char* name) { return gst_gl_context_get_proc_address(context, name); };
}

Result<GlApi> load_gl_api(GstGLContext* context) {
  gint major = 0, minor = 0;
  gst_gl_context_get_gl_version(context, &major, &minor);
  const GstGLAPI api = gst_gl_context_get_gl_api(context);
  const bool es = (api & GST_GL_API_GLES2) != 0;
  const std::string found = std::string("the GL context has ") + (es ? "OpenGL ES " : "OpenGL ") +
                            std::to_string(major) + "." + std::to_string(minor) +
                            "; OpenGL ES 3.1, or desktop OpenGL that accepts its shaders (4.5, or " +
                            "GL_ARB_ES3_1_compatibility), is required";
  if (es && !gst_gl_context_check_gl_version(context, GST_GL_API_GLES2, 3, 1)) return unsupported(found);
  Result<GlApi> gl = GlApi::load(proc_address_of(context));
  if (!gl.ok()) return gl.status().with_context(found);
  GST_DEBUG_OBJECT(log_object(), "%" GST_PTR_FORMAT " has OpenGL%s %d.%d", context, es ? " ES" : "", major, minor);
  return gl;
}

bool renders_in_software(GstGLContext* context) {
  const auto get_string =
      reinterpret_cast<decltype(&glGetString)>(gst_gl_context_get_proc_address(context, "glGetString"));
  const auto text = [get_string](GLenum name) {
    const auto* found = get_string != nullptr ? reinterpret_cast<const char*>(get_string(name)) : nullptr;
    return std::string(found != nullptr ? found : "");
  };
  return device_family(text(GL_VENDOR), text(GL_RENDERER)).software;
}

bool samples_external_textures(GstGLContext* context) {
  return gst_gl_context_check_feature(context, "GL_OES_EGL_image_external_essl3") != FALSE;
}

Status check_gl_memory(GstMemory* memory, GstGLContext* context) {
  if (!gst_is_gl_memory(memory)) {
    return invalid_argument("sink: cannot use a buffer without GL memory; put glupload upstream");
  }
  GstGLContext* owner = GST_GL_BASE_MEMORY_CAST(memory)->context;
  if (owner != context && !gst_gl_context_can_share(owner, context)) {
    return invalid_argument(std::string("cannot use a texture of GL context ") + GST_OBJECT_NAME(owner) +
                            ": it shares no objects with " + GST_OBJECT_NAME(context) +
                            "; give all elements the same GstGLDisplay");
  }
  return {};
}

MappedTexture::MappedTexture(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags access)
    : mapped_(gst_video_frame_map(&frame_, &info, buffer, static_cast<GstMapFlags>(access | GST_MAP_GL)) != FALSE) {}

MappedTexture::~MappedTexture() {
  if (mapped_) gst_video_frame_unmap(&frame_);
}

TextureRef MappedTexture::texture() const {
  // A GL mapping of a plane points to the texture name.
  return {*static_cast<const guint*>(frame_.data[0]), GL_TEXTURE_2D, GST_VIDEO_FRAME_WIDTH(&frame_),
          GST_VIDEO_FRAME_HEIGHT(&frame_)};
}

MappedMask::MappedMask(GstBuffer* buffer)
    : buffer_(buffer), mapped_(gst_buffer_map(buffer, &map_, static_cast<GstMapFlags>(GST_MAP_WRITE | GST_MAP_GL))) {}

MappedMask::~MappedMask() {
  if (mapped_) gst_buffer_unmap(buffer_, &map_);
}

GLuint MappedMask::texture() const { return *reinterpret_cast<const guint*>(map_.data); }

void wait_for_buffer(GstBuffer* buffer, GstGLContext* context) {
  if (GstGLSyncMeta* meta = gst_buffer_get_gl_sync_meta(buffer)) gst_gl_sync_meta_wait(meta, context);
}

void signal_buffer(GstBuffer* buffer, GstGLContext* context) {
  GstGLSyncMeta* meta = gst_buffer_get_gl_sync_meta(buffer);
  if (meta == nullptr) meta = gst_buffer_add_gl_sync_meta(context, buffer);
  gst_gl_sync_meta_set_sync_point(meta, context);
}

namespace {

// A pool of 2D textures without a maximum; null if it cannot be configured.
GstBufferPool* make_pool(GstGLContext* context, GstCaps* caps, guint size, guint min) {
  GstBufferPool* pool = gst_gl_buffer_pool_new(context);
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_GL_TEXTURE_TARGET_2D);
  if (gst_buffer_pool_set_config(pool, config)) return pool;
  gst_object_unref(pool);
  return nullptr;
}

GQuark lent_pool_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-lent-pool");
  return quark;
}

bool is_lent_to(GstGLContext* context, GstBufferPool* pool) {
  if (pool == nullptr || g_object_get_qdata(G_OBJECT(pool), lent_pool_quark()) == nullptr) return false;
  GstGLContext* owner = GST_GL_BUFFER_POOL(pool)->context;
  return owner == context || gst_gl_context_can_share(owner, context);
}

}  // namespace

void mark_lent_pool(GstBufferPool* pool) { g_object_set_qdata(G_OBJECT(pool), lent_pool_quark(), pool); }

bool propose_gl_allocation(GstGLContext* context, GstQuery* query, bool need_pool) {
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return false;
  const guint size = static_cast<guint>(info.size);
  GstBufferPool* pool = nullptr;
  if (need_pool) {
    pool = make_pool(context, caps, size, 0);
    if (pool == nullptr) return false;
  }
  gst_query_add_allocation_pool(query, pool, size, 0, 0);
  if (pool != nullptr) gst_object_unref(pool);
  gst_query_add_allocation_meta(query, GST_GL_SYNC_META_API_TYPE, nullptr);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  // Proposes neither GstVideoCropMeta nor GstVideoAffineTransformationMeta, although they are supported: glupload would
  // promise the former to videocrop and decoders and then upload the wrong region; gltransformation would write
  // perspective transforms into the latter.
  return true;
}

bool decide_gl_allocation(GstGLContext* context, GstQuery* query) {
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return false;

  guint size = static_cast<guint>(info.size), min = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) {
    GstBufferPool* theirs = nullptr;
    gst_query_parse_nth_allocation_pool(query, 0, &theirs, &size, &min, nullptr);
    const bool lent = is_lent_to(context, theirs);
    GST_DEBUG_OBJECT(log_object(), "pool: %s the downstream %" GST_PTR_FORMAT "%s", lent ? "using" : "declining",
                     theirs, lent ? "" : ": its textures may belong to another context");
    if (theirs != nullptr) gst_object_unref(theirs);
    if (lent) return true;
  }
  // Otherwise use our own pool: its textures belong to exactly this context and carry GstGLSyncMeta.
  GstBufferPool* pool = make_pool(context, caps, size, min);
  if (pool == nullptr) return false;
  GST_DEBUG_OBJECT(log_object(), "pool: created %" GST_PTR_FORMAT "%s", pool,
                   offered ? "" : ", downstream offers none");
  if (offered) {
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, 0);
  } else {
    gst_query_add_allocation_pool(query, pool, size, min, 0);
  }
  gst_object_unref(pool);
  return true;
}

GstBufferPool* make_mask_pool(GstGLContext* context, const GstVideoInfo& picture) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(GST_VIDEO_INFO_WIDTH(&picture)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&picture)));
  GstCaps* caps = gst_video_info_to_caps(&info);
  gst_caps_set_features_simple(caps, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  gst_caps_set_simple(caps, "texture-target", G_TYPE_STRING, "2D", nullptr);
  GstBufferPool* pool = make_pool(context, caps, static_cast<guint>(info.size), 0);
  gst_caps_unref(caps);
  return pool;
}

namespace {

struct GroupEntry {
  std::vector<GstGLContext*> contexts;  // living ones; for comparison, not owned
  std::weak_ptr<ShareGroup> group;
};

struct KnownGroups {
  std::mutex mutex;
  std::vector<GroupEntry> groups;
};

// Never destroyed: contexts may outlive static objects.
KnownGroups& known_groups() {
  static KnownGroups& instance = *new KnownGroups;
  return instance;
}

void forget_context(gpointer, GObject* context) {
  const std::lock_guard lock(known_groups().mutex);
  for (GroupEntry& entry : known_groups().groups) std::erase(entry.contexts, reinterpret_cast<GstGLContext*>(context));
}

}  // namespace

std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder) {
  const std::lock_guard lock(known_groups().mutex);
  std::vector<GroupEntry>& groups = known_groups().groups;
  std::erase_if(groups, [](const GroupEntry& entry) { return entry.group.expired(); });
  for (GroupEntry& entry : groups) {
    const bool known = std::ranges::find(entry.contexts, context) != entry.contexts.end();
    const bool shares = known || std::ranges::any_of(entry.contexts, [&](GstGLContext* other) {
                          return gst_gl_context_can_share(context, other) != FALSE;
                        });
    std::shared_ptr<ShareGroup> group = shares ? entry.group.lock() : nullptr;
    if (group == nullptr) continue;
    GST_DEBUG_OBJECT(log_object(), "%" GST_PTR_FORMAT " joins an existing share group: sharing programs", context);
    if (!known) {
      entry.contexts.push_back(context);
      g_object_weak_ref(G_OBJECT(context), guarded<forget_context>, nullptr);
    }
    return group;
  }
  GST_DEBUG_OBJECT(log_object(), "%" GST_PTR_FORMAT " is the first of its share group", context);
  auto cache = cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(program_folder(cache_folder));
  std::shared_ptr<ShareGroup> group = ShareGroup::create(gl, std::move(cache), element_shaders(), engine_log());
  if (group == nullptr) throw std::bad_alloc();
  groups.push_back({{context}, group});
  g_object_weak_ref(G_OBJECT(context), guarded<forget_context>, nullptr);
  return group;
}

ParallelCalls start_compiler_threads() {
  ParallelCalls calls = interop::ContextThreads::for_compiling();
  if (!calls) return calls;
  GST_DEBUG_OBJECT(log_object(), "compiling on several threads");
  return [calls = std::move(calls), object = log_object()](const std::function<void()>& work) {
    calls([&] {
      const LogScope scope(object);
      work();
    });
  };
}

}  // namespace sightglass
