#include "segment_pass.h"

#include <EGL/egl.h>
#include <dlfcn.h>
#include <obs.h>

#include <mutex>
#include <utility>

#include "element/loaded_model.h"
#include "gl/gl_bridge.h"
#include "gl/gl_state_guard.h"
#include "gl/shaders.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "gpu_engine/build_programs.h"
#include "model_store.h"
#include "segment/mask_model.h"
#include "sightglass/cache_folder.h"

namespace sightglass::obs {

namespace {

// EGL of the context; GLX if another one is current, as in versions of OBS before 28.
void* find_gl_function(const char* name) {
  if (eglGetCurrentContext() != EGL_NO_CONTEXT) return reinterpret_cast<void*>(eglGetProcAddress(name));
  using Find = void* (*)(const unsigned char*);
  static const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "glXGetProcAddressARB"));
  return find != nullptr ? find(reinterpret_cast<const unsigned char*>(name)) : nullptr;
}

}  // namespace

Result<GlDevice> gl_device(const std::string& cache_folder) {
  static std::mutex mutex;
  static std::weak_ptr<ShareGroup>& known = *new std::weak_ptr<ShareGroup>;  // filters may end after static objects
  if (gs_get_device_type() != GS_DEVICE_OPENGL) {
    return unsupported("OBS does not draw with OpenGL; use a build of OBS that does");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, GlApi::load(find_gl_function));
  GlDevice device;
  SIGHTGLASS_ASSIGN_OR_RETURN(device.info, query_device(gl, engine_log()));
  const std::lock_guard lock(mutex);
  device.group = known.lock();
  if (device.group != nullptr) return device;
  auto cache = cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(program_folder(cache_folder));
  device.group = ShareGroup::create(gl, std::move(cache), element_shaders(), engine_log());
  known = device.group;
  return device;
}

namespace {

Result<DescribedModel<MaskModel>> load_model(const SegmentSettings& settings) {
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskModelOptions options, settings.mask_model_options());
  options.normalization = settings.model.normalization();
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file,
                              ModelStore().resolve(settings.model.model.value_or(kDefaultModel)));
  return DescribedModel<MaskModel>::load(file, settings.model, [&](const SharedModel& model) {
    return describe_mask_model(*model.model(), model.known(), options);
  });
}

}  // namespace

Result<std::unique_ptr<SegmentPass>> SegmentPass::create(const FilterSettings& settings) {
  const SegmentSettings& segment = settings.segment;
  const std::string cache_folder = segment.model.cache_folder();
  SIGHTGLASS_ASSIGN_OR_RETURN(const GlDevice device, gl_device(cache_folder));
  SIGHTGLASS_ASSIGN_OR_RETURN(const DescribedModel<MaskModel> mask, load_model(segment));
  const GlStateGuard guard(device.group->gl());
  const AllocationScope allocations(device.group->gl());
  const CompileScope compiling(start_compiler_threads);
  const GlTarget target{nullptr, device.group, device.info, FrameKind::kRgba, segment.model.tuning, cache_folder};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                              mask.plan(target, Segmenter::planned_kind(device.info, *mask, FrameKind::kRgba)));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Effect> effect,
                              Segmenter::create(target, std::move(plan), *mask, segment));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<EffectRunner> runner,
                              EffectRunner::create(target, std::move(effect), nullptr, segment.run.mask_sync));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the model"));
  std::unique_ptr<SegmentPass> pass(new SegmentPass(device, std::move(runner)));
  pass->set(segment);
  return pass;
}

SegmentPass::~SegmentPass() {
  const GlStateGuard guard(group_->gl());
  runner_.reset();
}

void SegmentPass::set(SegmentSettings settings) {
  const std::string location = settings.background_location.value_or("");
  if (settings.look.background == Background::kImage && location != picture_location_) {
    picture_location_ = location;
    auto picture = Picture::load(location, largest_picture_);
    picture_status_ = picture.status();
    if (picture.ok()) picture_ = *picture;
  }
  settings.picture = picture_;
  settings_ = std::make_shared<SegmentSettings>(std::move(settings));
}

Status SegmentPass::draw(GLuint frame, GLuint output, int32_t width, int32_t height, uint64_t time) {
  const GlStateGuard guard(group_->gl());
  if (const FrameSize size{width, height}; size != size_) {
    size_ = {};
    SIGHTGLASS_RETURN_IF_ERROR(runner_->resize(size, *settings_));
    size_ = size;
  }
  runner_->poll_time();
  FrameJob job;
  job.settings = settings_;
  job.frame = {TextureRef{frame, GL_TEXTURE_2D, width, height}, {}, width, height};
  job.output = output;
  job.output_size = size_;
  job.time = time;
  job.number = frames_++;
  SIGHTGLASS_RETURN_IF_ERROR(runner_->process(job));
  SIGHTGLASS_RETURN_IF_ERROR(runner_->finish(job));
  problem_ = !job.failure.ok()                                  ? job.failure
             : settings_->look.background == Background::kImage ? picture_status_
                                                                : Status();
  return {};
}

}  // namespace sightglass::obs
