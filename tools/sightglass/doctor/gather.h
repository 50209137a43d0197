// The parts of `sightglass doctor` that ask this machine. Each fills its part of a DoctorReport.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "doctor/doctor_report.h"
#include "sightglass/interop/egl_context.h"

namespace sightglass::doctor {

// Opens EGL displays and a GL context, and asks them.
// A context that is current on this thread until it is destroyed here.
struct OpenGl {
  std::shared_ptr<interop::Display> display;
  std::unique_ptr<interop::Context> context;
  std::unique_ptr<interop::ScopedMakeCurrent> current;
};

// Tries all displays. Returns a context of the first display that works, which is the one that the other subcommands
// use; null if none works.
std::unique_ptr<OpenGl> gather_egl(EglSection& egl);

// Asks the current context, which gather_egl() has returned, or none.
GlSection gather_gl(const OpenGl* opened);

DmabufSection gather_dmabuf(const OpenGl* opened);

// Asks GStreamer for plugins, sinks, encoders, and cameras.

// Initializes GStreamer.
GstSection gather_gstreamer();
// Requires that GStreamer is initialized. `nodes` and `importer` decide which formats arrive without a copy.
std::vector<CameraStatus> gather_cameras(const std::vector<DeviceFile>& nodes, const DmabufSection& importer);

// Reads the parts of a report that need neither GL nor GStreamer.

// Call it before anything changes the environment.
SystemSection gather_system();
std::vector<DeviceFile> gather_render_nodes();
std::vector<DeviceFile> gather_video_nodes();
// Creates the directory if it does not exist.
CacheSection gather_cache();

// Measures the device, a model, and glsegment.

// `gl`: the context that works, or none. `plugin`: whether GStreamer finds glsegment; it must be initialized. Draws a
// progress bar on stderr. Takes seconds, most of them for compiling if the cache directory is empty.
MeasuredSection gather_times(const std::string& model, const GlSection& gl, bool plugin);

}  // namespace sightglass::doctor
