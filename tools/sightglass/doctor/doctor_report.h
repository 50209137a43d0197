// The findings of `sightglass doctor`, as plain data. gather.h fills it; judge.h judges and prints it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/command_line.h"
#include "element_names.h"
#include "sightglass/device.h"

namespace sightglass::doctor {

struct SystemSection {
  std::string version;                                           // of this program
  std::string distribution, kernel, processor;                   // "Debian GNU/Linux 12 (bookworm)", "Linux 6.1 x86_64"
  int cores = 0;                                                 // that this process may use
  std::vector<std::pair<std::string, std::string>> environment;  // variables that change GL or GStreamer
};

// A file below /dev.
struct DeviceFile {
  std::string path;    // "/dev/dri/renderD128"
  std::string driver;  // kernel driver: "i915"; empty: unknown
  std::string group;   // that may open the file: "render"; empty: unknown
  bool accessible = false;
};

// One way to open an EGL display.
struct DisplayAttempt {
  std::string name;
  std::string error;  // empty: it has an OpenGL ES 3.1 context
};

struct EglSection {
  std::vector<DisplayAttempt> attempts;
  std::string display;  // the one in use; empty: none works. Then all fields below are empty
  std::string vendor, version;
  std::vector<std::string> extensions;  // of the client and of the display
};

struct Quirk {
  std::string name, effect;  // of the driver, and how this project avoids it
  bool applies = false;      // to this driver
};

struct GlSection {
  bool available = false;  // OpenGL ES 3.1, with all functions that the engine calls
  std::string error;       // why not
  DeviceInfo device;
  std::string family;     // "Mali"; "unknown"
  bool software = false;  // renders on the CPU
  std::vector<std::string> extensions;
  std::vector<Quirk> quirks;
};

struct ImportFormat {
  std::string format;                                       // "NV12"
  std::vector<std::pair<std::string, bool>> modifiers;      // "LINEAR", and whether only as an external texture
  bool as_image = false, external = false, planes = false;  // how a linear frame becomes textures
};

struct ExportFormat {
  std::string format, modifier;
  std::string error;  // empty: an attempt succeeded
};

struct DmabufSection {
  std::string import_error;  // empty: the driver imports DMABUFs
  bool formats_known = false;
  std::vector<ImportFormat> imports;
  std::string export_error;      // empty: the driver exports DMABUFs
  std::string export_allocator;  // "/dev/dri/renderD128", or "GL textures"
  std::vector<ExportFormat> exports;
};

struct ElementStatus {
  std::string name;
  bool installed = false;
  bool takes_dmabuf = false;  // according to its pad template
};

struct GstSection {
  std::string version;
  std::string plugin_version, plugin_file;  // of the plugin sightglass; empty: not found
  bool test_plugin = false;                 // the plugin sightglasstest
  bool gl_elements = false;                 // glupload
  bool display = false;                     // a window system
  std::vector<ElementStatus> sinks, encoders;
  std::string video_file;  // the kind that can be written without options: "video.mp4"; empty: none
};

struct CameraFormatStatus {
  std::string format;             // "1280x720 at 30 frames per second, YUY2"
  std::optional<bool> zero_copy;  // unset: unknown
  std::string reason;             // why not, or why unknown
};

struct CameraStatus {
  std::string name, path, source;  // "HD Webcam", "/dev/video0", "v4l2src"
  std::vector<CameraFormatStatus> formats;
};

struct CacheSection {
  std::string folder;  // empty: neither HOME nor XDG_CACHE_HOME is set
  std::string error;   // why it cannot be used
};

// Milliseconds.
struct ModelTime {
  double median = 0, p95 = 0;
};

struct CpuTime {
  std::string runtime;  // "ai_edge_litert 1.0.1"
  int threads = 0;
  double median = 0;  // milliseconds
};

// The element that is measured without its model.
inline constexpr const char* kMeasuredElement = elements::kSegment.element;

struct MeasuredSection {
  std::string model;      // as the user wrote it
  bool software = false;  // OpenGL runs on the CPU
  std::string gpu_error;
  std::optional<ModelTime> fp32, fp16;
  double multiply_adds_per_second = 0, copied_bytes_per_second = 0;  // of the device
  std::optional<CpuTime> cpu;
  std::string cpu_error;            // if there is no time: "not installed", or why it failed
  std::optional<double> composite;  // milliseconds that kMeasuredElement takes for a frame
  std::string composite_error;      // why it does not run
};

struct DoctorReport {
  SystemSection system;
  std::vector<DeviceFile> render_nodes, video_nodes;
  EglSection egl;
  GlSection gl;
  DmabufSection dmabuf;
  GstSection gst;
  std::vector<CameraStatus> cameras;
  CacheSection cache;
  std::optional<MeasuredSection> measured;  // unset with --no-measure
};

// The subcommand: examines this machine, lists problems, and chooses settings that hold 30 frames per second.
void add_doctor_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::doctor
