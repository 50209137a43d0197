#include "segment/gpu_timer.h"

#include <string>
#include <string_view>

namespace sightglass {

namespace {

// From the registry; the ES headers have them only as extensions.
constexpr GLenum kTimestamp = 0x8E28;
constexpr GLenum kQueryResult = 0x8866;
constexpr GLenum kQueryResultAvailable = 0x8867;
constexpr GLenum kGpuDisjoint = 0x8FBB;

bool has_extension(const GlApi& gl, std::string_view wanted) {
  GLint count = 0;
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* name = gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
    if (name != nullptr && wanted == reinterpret_cast<const char*>(name)) return true;
  }
  return false;
}

}  // namespace

GpuTimer::GpuTimer(const GlApi& gl, bool es, const GlApi::GetProcAddress& get_proc_address) : gl_(gl), es_(es) {
  if (es_ && !has_extension(gl_, "GL_EXT_disjoint_timer_query")) return;
  bool complete = true;
  const auto load = [&](auto& entry, const char* name) {
    const std::string full = std::string(name) + (es_ ? "EXT" : "");
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(get_proc_address(full.c_str()));
    complete = complete && entry != nullptr;
  };
  load(gen_queries_, "glGenQueries");
  load(delete_queries_, "glDeleteQueries");
  load(query_counter_, "glQueryCounter");
  load(get_query_uint_, "glGetQueryObjectuiv");
  load(get_query_uint64_, "glGetQueryObjectui64v");
  if (!complete) return;
  for (Frame& frame : frames_) gen_queries_(kMarks, frame.queries.data());
  available_ = true;
}

GpuTimer::~GpuTimer() {
  if (!available_) return;
  for (const Frame& frame : frames_) delete_queries_(kMarks, frame.queries.data());
}

void GpuTimer::mark(Mark mark) {
  if (!available_) return;
  Frame& frame = frames_[next_];
  if (mark == kFrameStart) recording_ = !frame.pending;  // a GPU that is far behind is not asked again
  if (!recording_) return;
  query_counter_(frame.queries[mark], kTimestamp);
  if (mark == kFrameEnd) {
    frame.pending = true;
    next_ = (next_ + 1) % kFrames;
  }
}

std::optional<GpuTimer::Sample> GpuTimer::poll() {
  std::optional<Sample> latest;
  while (frames_[oldest_].pending) {
    Frame& frame = frames_[oldest_];
    GLuint known = 0;
    get_query_uint_(frame.queries[kFrameEnd], kQueryResultAvailable, &known);
    if (known == 0) break;
    std::array<GLuint64, kMarks> at{};
    for (size_t i = 0; i < kMarks; ++i) get_query_uint64_(frame.queries[i], kQueryResult, &at[i]);
    frame.pending = false;
    oldest_ = (oldest_ + 1) % kFrames;
    GLint disjoint = 0;
    if (es_) gl_.GetIntegerv(kGpuDisjoint, &disjoint);
    if (disjoint != 0 || at[kModelEnd] < at[kFrameStart] || at[kFrameEnd] < at[kFrameStart]) continue;
    latest = {at[kModelEnd] - at[kFrameStart], at[kFrameEnd] - at[kFrameStart]};
  }
  return latest;
}

}  // namespace sightglass
