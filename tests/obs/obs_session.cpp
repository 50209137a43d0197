#include "obs_session.h"

#include <X11/Xlib.h>
#include <obs-nix-platform.h>
#include <util/base.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#undef Status  // a macro of Xlib, which would break sightglass::Status in a unity build

namespace sightglass::test {
namespace {

constexpr const char* kPictureId = "sightglass_test_picture";

std::atomic<uint64_t> frames{0};
std::mutex log_mutex;
std::vector<std::string> log;  // guarded by log_mutex
bool started = false;

void keep_line(int /*level*/, const char* format, va_list arguments, void* /*param*/) {
  std::array<char, 1024> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  std::fprintf(stderr, "obs: %s\n", line.data());
  const std::lock_guard lock(log_mutex);
  if (std::string(line.data()).starts_with("[sightglass]")) log.emplace_back(line.data());
}

// ---- The source

const Pixels* picture_to_create = nullptr;

struct Picture {
  gs_texture_t* texture;
  uint32_t width, height;
};

void* create_picture(obs_data_t* /*data*/, obs_source_t* /*source*/) {
  const uint8_t* rows = picture_to_create->rgba.data();
  obs_enter_graphics();
  auto* const picture = new Picture{nullptr, picture_to_create->width, picture_to_create->height};
  picture->texture = gs_texture_create(picture->width, picture->height, GS_RGBA, 1, &rows, GS_DYNAMIC);
  obs_leave_graphics();
  return picture;
}

void destroy_picture(void* data) {
  auto* const picture = static_cast<Picture*>(data);
  obs_enter_graphics();
  gs_texture_destroy(picture->texture);
  obs_leave_graphics();
  delete picture;
}

void register_picture() {
  obs_source_info info{};
  info.id = kPictureId;
  info.type = OBS_SOURCE_TYPE_INPUT;
  info.output_flags = OBS_SOURCE_VIDEO | OBS_SOURCE_SRGB;
  info.get_name = [](void*) { return "picture"; };
  info.create = create_picture;
  info.destroy = destroy_picture;
  info.get_width = [](void* data) { return static_cast<Picture*>(data)->width; };
  info.get_height = [](void* data) { return static_cast<Picture*>(data)->height; };
  info.video_render = [](void* data, gs_effect_t*) {
    obs_source_draw(static_cast<Picture*>(data)->texture, 0, 0, 0, 0, false);
  };
  obs_register_source(&info);
}

// ---- libobs

bool load_module() {
  obs_module_t* module = nullptr;
  return obs_open_module(&module, SIGHTGLASS_OBS_MODULE, SIGHTGLASS_OBS_DATA) == MODULE_SUCCESS &&
         obs_init_module(module);
}

bool start_video() {
  obs_video_info video{};
  video.graphics_module = SIGHTGLASS_OBS_OPENGL;
  video.fps_num = 1000;  // more than any machine draws
  video.fps_den = 1;
  video.base_width = video.output_width = kWidth;
  video.base_height = video.output_height = kHeight;
  video.output_format = VIDEO_FORMAT_NV12;
  video.colorspace = VIDEO_CS_709;
  video.range = VIDEO_RANGE_PARTIAL;
  video.scale_type = OBS_SCALE_BILINEAR;
  video.gpu_conversion = true;
  return obs_reset_video(&video) == OBS_VIDEO_SUCCESS;
}

}  // namespace

std::array<int, 4> Pixels::at(uint32_t x, uint32_t y) const {
  const size_t first = 4 * (static_cast<size_t>(y) * width + x);
  return {rgba.at(first), rgba.at(first + 1), rgba.at(first + 2), rgba.at(first + 3)};
}

Pixels read_pixels(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Pixels pixels{kWidth, kHeight, {std::istreambuf_iterator<char>(file), {}}};
  if (pixels.rgba.size() != size_t{4} * kWidth * kHeight) return {};
  return pixels;
}

double mean_difference(const Pixels& a, const Pixels& b) {
  if (a.rgba.size() != b.rgba.size() || a.rgba.empty()) return 255;
  uint64_t sum = 0;
  for (size_t i = 0; i < a.rgba.size(); ++i) sum += static_cast<uint64_t>(std::abs(a.rgba[i] - b.rgba[i]));
  return static_cast<double>(sum) / static_cast<double>(a.rgba.size());
}

void ObsTest::SetUpTestSuite() {
  base_set_log_handler(keep_line, nullptr);
  obs_set_nix_platform(OBS_NIX_PLATFORM_X11_EGL);
  obs_set_nix_platform_display(XOpenDisplay(nullptr));
  if (!obs_startup("en-US", nullptr, nullptr) || !start_video() || !load_module()) return;
  register_picture();
  obs_add_tick_callback([](void*, float) { ++frames; }, nullptr);
  started = true;
}

void ObsTest::TearDownTestSuite() {
  obs_shutdown();
  base_set_log_handler(nullptr, nullptr);
}

void ObsTest::SetUp() {
  ASSERT_TRUE(started) << "libobs does not start";
  const std::lock_guard lock(log_mutex);
  log.clear();
}

OBSSourceAutoRelease ObsTest::make_picture(const Pixels& pixels) {
  picture_to_create = &pixels;
  return obs_source_create(kPictureId, "picture", nullptr, nullptr);
}

void ObsTest::show(obs_source_t* picture, const Pixels& pixels) {
  obs_enter_graphics();
  gs_texture_set_image(static_cast<Picture*>(obs_obj_get_data(picture))->texture, pixels.rgba.data(), 4 * pixels.width,
                       false);
  obs_leave_graphics();
}

OBSSourceAutoRelease ObsTest::add_filter(obs_source_t* source, const std::string& settings) {
  const OBSDataAutoRelease data = obs_data_create_from_json(settings.c_str());
  OBSSourceAutoRelease filter = obs_source_create("sightglass_segment_filter", "background", data, nullptr);
  obs_source_filter_add(source, filter);
  return filter;
}

void ObsTest::update(obs_source_t* filter, const std::string& settings) {
  const OBSDataAutoRelease data = obs_data_create_from_json(settings.c_str());
  obs_source_update(filter, data);
}

Pixels ObsTest::render(obs_source_t* source, bool linear) {
  wait_for_frames(2);
  Pixels pixels{obs_source_get_width(source), obs_source_get_height(source), {}};
  obs_enter_graphics();
  gs_texrender_t* const target = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
  gs_stagesurf_t* const stage = gs_stagesurface_create(pixels.width, pixels.height, GS_RGBA);
  if (gs_texrender_begin(target, pixels.width, pixels.height)) {
    const vec4 nothing{};
    gs_clear(GS_CLEAR_COLOR, &nothing, 0, 0);
    gs_ortho(0, static_cast<float>(pixels.width), 0, static_cast<float>(pixels.height), -100, 100);
    const bool previous = gs_set_linear_srgb(linear);
    obs_source_video_render(source);
    gs_set_linear_srgb(previous);
    gs_texrender_end(target);
    gs_stage_texture(stage, gs_texrender_get_texture(target));
    uint8_t* data = nullptr;
    uint32_t row_bytes = 0;
    if (gs_stagesurface_map(stage, &data, &row_bytes)) {
      for (uint32_t y = 0; y < pixels.height; ++y) {
        const uint8_t* const row = data + static_cast<size_t>(y) * row_bytes;
        pixels.rgba.insert(pixels.rgba.end(), row, row + size_t{4} * pixels.width);
      }
      gs_stagesurface_unmap(stage);
    }
  }
  gs_stagesurface_destroy(stage);
  gs_texrender_destroy(target);
  obs_leave_graphics();
  return pixels;
}

void ObsTest::wait_for_frames(uint64_t number) {
  const uint64_t last = frames + number;
  while (frames < last) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::vector<std::string> ObsTest::log_lines() {
  const std::lock_guard lock(log_mutex);
  return log;
}

}  // namespace sightglass::test
