#include "segment_filter.h"

#include <obs-module.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "segment_pass.h"

namespace sightglass::obs {

namespace {

constexpr std::array<gs_color_space, 3> kSpaces{GS_CS_SRGB, GS_CS_SRGB_16F, GS_CS_709_EXTENDED};

// OBS calls create(), the destructor and update() on any thread, and the rest on its graphics thread.
class SegmentFilter {
 public:
  SegmentFilter(obs_data_t* data, obs_source_t* source) : source_(source) { update(data); }
  ~SegmentFilter();
  SegmentFilter(const SegmentFilter&) = delete;
  SegmentFilter& operator=(const SegmentFilter&) = delete;

  void update(obs_data_t* data);
  // A new frame of OBS begins: a source may be drawn several times in each, or not at all.
  void tick() { was_drawn_ = std::exchange(is_drawn_, false); }
  void render();
  gs_color_space color_space(size_t count, const gs_color_space* preferred) const;

 private:
  bool is_hdr(obs_source_t* target) const;
  bool follow_settings();
  bool allocate(uint32_t width, uint32_t height);
  bool capture(obs_source_t* target, uint32_t width, uint32_t height);
  bool draw_frame(obs_source_t* target, uint32_t width, uint32_t height);
  void present(uint32_t width, uint32_t height);
  void report(int level, const std::string& problem, const char* consequence);

  obs_source_t* const source_;
  std::mutex mutex_;
  FilterSettings wanted_;  // guarded by mutex_
  bool changed_ = true;    // also

  // Graphics thread.
  std::unique_ptr<SegmentPass> pass_;
  std::string start_values_;  // of pass_, or of the one that could not be created
  bool tried_ = false;        // whether start_values_ are set
  gs_texrender_t* frame_ = nullptr;
  gs_texture_t* output_ = nullptr;
  bool is_drawn_ = false;   // output_ is that of the current frame of OBS
  bool was_drawn_ = false;  // it was that of the frame before
  std::string reported_;    // the last problem, which is reported once
};

SegmentFilter::~SegmentFilter() {
  obs_enter_graphics();
  pass_.reset();
  gs_texture_destroy(output_);
  gs_texrender_destroy(frame_);
  obs_leave_graphics();
}

void SegmentFilter::update(obs_data_t* data) {
  FilterSettings settings = read_settings(data);
  const std::lock_guard lock(mutex_);
  wanted_ = std::move(settings);
  changed_ = true;
}

void SegmentFilter::report(int level, const std::string& problem, const char* consequence) {
  if (std::exchange(reported_, problem) == problem || problem.empty()) return;
  blog(level, "[sightglass] filter '%s': %s; %s", obs_source_get_name(source_), problem.c_str(), consequence);
}

bool SegmentFilter::is_hdr(obs_source_t* target) const {
  return obs_source_get_color_space(target, kSpaces.size(), kSpaces.data()) == GS_CS_709_EXTENDED;
}

gs_color_space SegmentFilter::color_space(size_t count, const gs_color_space* preferred) const {
  obs_source_t* const target = obs_filter_get_target(source_);
  return target != nullptr && is_hdr(target) ? obs_source_get_color_space(target, count, preferred) : GS_CS_SRGB;
}

// Returns whether there is a model to draw with.
bool SegmentFilter::follow_settings() {
  FilterSettings settings;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(changed_, false)) return pass_ != nullptr;
    settings = wanted_;
  }
  if (tried_ && settings.start_values == start_values_) {
    if (pass_ != nullptr) pass_->set(std::move(settings.segment));
    return pass_ != nullptr;
  }
  tried_ = true;
  start_values_ = settings.start_values;
  pass_.reset();
  auto pass = SegmentPass::create(settings);
  if (pass.ok()) {
    pass_ = *std::move(pass);
    reported_.clear();
  } else {
    report(LOG_ERROR, pass.status().message(), "the source is shown without the filter");
  }
  return pass_ != nullptr;
}

// The frame has the format of most textures of OBS, for sources that draw linear colors: GL converts these.
bool SegmentFilter::allocate(uint32_t width, uint32_t height) {
  if (frame_ == nullptr) frame_ = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
  if (output_ != nullptr && (gs_texture_get_width(output_) != width || gs_texture_get_height(output_) != height)) {
    gs_texture_destroy(std::exchange(output_, nullptr));
  }
  if (output_ == nullptr) output_ = gs_texture_create(width, height, GS_RGBA, 1, nullptr, GS_RENDER_TARGET);
  return frame_ != nullptr && output_ != nullptr;
}

// Renders the source, with the filters below this one, as nonlinear colors.
bool SegmentFilter::capture(obs_source_t* target, uint32_t width, uint32_t height) {
  gs_texrender_reset(frame_);
  const bool linear = gs_set_linear_srgb(false);
  gs_blend_state_push();
  gs_blend_function(GS_BLEND_ONE, GS_BLEND_ZERO);
  const bool begun = gs_texrender_begin_with_color_space(frame_, width, height, GS_CS_SRGB);
  if (begun) {
    const vec4 nothing{};
    gs_clear(GS_CLEAR_COLOR, &nothing, 0, 0);
    gs_ortho(0, static_cast<float>(width), 0, static_cast<float>(height), -100, 100);
    const uint32_t draws_itself = OBS_SOURCE_CUSTOM_DRAW | OBS_SOURCE_ASYNC;
    if (target == obs_filter_get_parent(source_) && (obs_source_get_output_flags(target) & draws_itself) == 0) {
      obs_source_default_render(target);
    } else {
      obs_source_video_render(target);
    }
    gs_texrender_end(frame_);
  }
  gs_blend_state_pop();
  gs_set_linear_srgb(linear);
  return begun;
}

GLuint gl_name(gs_texture_t* texture) { return *static_cast<const GLuint*>(gs_texture_get_obj(texture)); }

// Returns whether output_ shows the frame.
bool SegmentFilter::draw_frame(obs_source_t* target, uint32_t width, uint32_t height) {
  if (!follow_settings() || !allocate(width, height) || !capture(target, width, height)) return false;
  if (!was_drawn_) pass_->forget();  // hidden in between, the source may show another scene
  const bool converts = gs_framebuffer_srgb_enabled();
  gs_enable_framebuffer_srgb(false);
  const Status status =
      pass_->draw(gl_name(gs_texrender_get_texture(frame_)), gl_name(output_), static_cast<int32_t>(width),
                  static_cast<int32_t>(height), obs_get_video_frame_time());
  gs_enable_framebuffer_srgb(converts);
  if (status.ok()) {
    report(LOG_WARNING, pass_->problem().message(), "frames are drawn without it");
  } else {
    report(LOG_ERROR, status.message(), "the source is shown without the filter");
  }
  return status.ok();
}

void SegmentFilter::present(uint32_t width, uint32_t height) {
  gs_effect_t* const effect = obs_get_base_effect(OBS_EFFECT_DEFAULT);
  gs_eparam_t* const image = gs_effect_get_param_by_name(effect, "image");
  const bool linear = gs_get_linear_srgb();
  const bool converts = gs_framebuffer_srgb_enabled();
  gs_enable_framebuffer_srgb(linear);
  const auto set_texture = linear ? gs_effect_set_texture_srgb : gs_effect_set_texture;
  set_texture(image, output_);
  // The colors of the output are not multiplied by alpha.
  gs_blend_state_push();
  gs_blend_function_separate(GS_BLEND_SRCALPHA, GS_BLEND_INVSRCALPHA, GS_BLEND_ONE, GS_BLEND_INVSRCALPHA);
  while (gs_effect_loop(effect, "Draw")) gs_draw_sprite(output_, 0, width, height);
  gs_blend_state_pop();
  gs_enable_framebuffer_srgb(converts);
}

void SegmentFilter::render() {
  obs_source_t* const target = obs_filter_get_target(source_);
  const uint32_t width = target != nullptr ? obs_source_get_base_width(target) : 0;
  const uint32_t height = target != nullptr ? obs_source_get_base_height(target) : 0;
  if (width == 0 || height == 0) return obs_source_skip_video_filter(source_);
  if (is_hdr(target)) {
    report(LOG_WARNING, "cannot filter HDR video", "the source is shown without the filter");
    return obs_source_skip_video_filter(source_);
  }
  if (!is_drawn_) is_drawn_ = draw_frame(target, width, height);
  if (!is_drawn_) return obs_source_skip_video_filter(source_);
  present(width, height);
}

// ---- The functions that OBS calls. None of them throws.

SegmentFilter& filter_of(void* data) { return *static_cast<SegmentFilter*>(data); }

template <typename F>
auto guarded_call(F call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& error) {
    blog(LOG_ERROR, "[sightglass] cannot continue: %s", error.what());
  }
  return decltype(call())();
}

void* create(obs_data_t* data, obs_source_t* source) {
  return guarded_call([&]() -> void* { return new SegmentFilter(data, source); });
}

gs_color_space color_space(void* data, size_t count, const gs_color_space* preferred) {
  return guarded_call([&] { return filter_of(data).color_space(count, preferred); });
}

}  // namespace

void register_segment_filter() {
  obs_source_info info{};
  info.id = kSegmentFilterId;
  info.type = OBS_SOURCE_TYPE_FILTER;
  info.output_flags = OBS_SOURCE_VIDEO | OBS_SOURCE_SRGB;
  info.get_name = [](void*) { return obs_module_text("SegmentFilter"); };
  info.create = create;
  info.destroy = [](void* data) { guarded_call([&] { delete &filter_of(data); }); };
  info.get_defaults = [](obs_data_t* data) { guarded_call([&] { set_defaults(data); }); };
  info.get_properties = [](void*) { return guarded_call([] { return make_page(); }); };
  info.update = [](void* data, obs_data_t* settings) { guarded_call([&] { filter_of(data).update(settings); }); };
  info.video_tick = [](void* data, float) { guarded_call([&] { filter_of(data).tick(); }); };
  info.video_render = [](void* data, gs_effect_t*) { guarded_call([&] { filter_of(data).render(); }); };
  info.video_get_color_space = color_space;
  obs_register_source(&info);
}

}  // namespace sightglass::obs
