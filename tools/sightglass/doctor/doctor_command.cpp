#include <cstdio>
#include <memory>
#include <string>

#include "doctor/doctor_report.h"
#include "doctor/gather.h"
#include "doctor/judge.h"

namespace sightglass::doctor {

namespace {

struct Arguments {
  std::string model = "figure";
  bool json = false, measure = true;
};

DoctorReport gather(const Arguments& arguments) {
  DoctorReport report;
  report.system = gather_system();
  report.render_nodes = gather_render_nodes();
  report.video_nodes = gather_video_nodes();
  report.cache = gather_cache();
  {
    const std::unique_ptr<OpenGl> opened = gather_egl(report.egl);
    report.gl = gather_gl(opened.get());
    report.dmabuf = gather_dmabuf(opened.get());
  }
  report.gst = gather_gstreamer();
  report.cameras = gather_cameras(report.video_nodes, report.dmabuf);
  if (arguments.measure) {
    const bool plugin = !report.gst.plugin_file.empty() && report.gst.gl_elements;
    report.measured = gather_times(arguments.model, report.gl, plugin);
  }
  return report;
}

int doctor(const Arguments& arguments) {
  const DoctorReport report = gather(arguments);
  const std::vector<Problem> problems = find_problems(report);
  const PrivateWords words = private_words();
  const std::string text = arguments.json ? format_json(report, problems, words) : format_text(report, problems, words);
  std::fputs(text.c_str(), stdout);
  return has_error(problems) ? kFailed : kSucceeded;
}

}  // namespace

void add_doctor_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Examine this machine: report problems with remedies, and settings that hold 30 frames per second");
  command->add_option("--model", arguments->model,
                      "Model to measure: path of a .tflite file, or name of a known model (figure)");
  command->add_flag("--json", arguments->json,
                    "Print the report as JSON, for bug reports; it contains no private data");
  command->add_flag_callback(
      "--no-measure", [arguments] { arguments->measure = false; }, "Do not measure anything");
  subcommands.push_back({command, [arguments] { return doctor(*arguments); }});
}

}  // namespace sightglass::doctor
