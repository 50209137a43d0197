#include "model/step_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "common/formatting.h"
#include "model/report_format.h"

namespace sightglass {

int64_t StepProfile::total_ns() const {
  int64_t sum = 0;
  for (const ProfiledStep& step : steps) sum += step.ns;
  return sum;
}

Result<StepProfile> profile_session(Session& session, StepTimer& timer, const DeviceSpeed& device, int passes) {
  StepProfile profile;
  profile.method = timer.method();
  profile.passes = passes;
  profile.device = device;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, median_step_times(session, timer, passes));
  std::vector<StepInfo> infos = session.plan().steps();
  for (size_t i = 0; i < infos.size(); ++i) profile.steps.push_back({std::move(infos[i]), times.at(i)});
  return profile;
}

namespace {

double arithmetic_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return static_cast<double>(step.info.multiply_adds) / device.multiply_adds_per_second * 1e9;
}

double memory_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return static_cast<double>(step.bytes()) / device.copied_bytes_per_second * 1e9;
}

}  // namespace

double roofline_ns(const ProfiledStep& step, const DeviceSpeed& device) {
  return std::max(arithmetic_ns(step, device), memory_ns(step, device));
}

bool bound_by_memory(const ProfiledStep& step, const DeviceSpeed& device) {
  return memory_ns(step, device) > arithmetic_ns(step, device);
}

double gflops(int64_t multiply_adds, double ns) {
  return ns > 0 ? 2 * static_cast<double>(multiply_adds) / ns : 0;  // one operation per nanosecond is 10^9 per second
}

std::vector<KernelTotal> kernel_totals(const StepProfile& profile) {
  std::vector<KernelTotal> totals;
  for (const ProfiledStep& step : profile.steps) {
    auto total = std::ranges::find(totals, step.info.kernel, &KernelTotal::kernel);
    if (total == totals.end()) {
      total = totals.insert(totals.end(), KernelTotal());
      total->kernel = step.info.kernel;
    }
    ++total->steps;
    total->ns += step.ns;
    total->multiply_adds += step.info.multiply_adds;
    total->bytes += step.bytes();
    total->roofline_ns += roofline_ns(step, profile.device);
  }
  std::ranges::stable_sort(totals, std::greater<>(), &KernelTotal::ns);
  return totals;
}

const char* name_of(StepTimer::Method method) {
  return method == StepTimer::Method::kTimerQueries ? "timer queries" : "fences";
}

// Formats a StepProfile as text, as JSON, and as a Chrome trace. Scripts read the JSON: keys are only ever added.

namespace {

double ms(double ns) { return ns * 1e-6; }

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

std::string format_text(const StepProfile& profile) {
  const auto total = static_cast<double>(profile.total_ns());
  std::vector<const ProfiledStep*> steps;
  for (const ProfiledStep& step : profile.steps) steps.push_back(&step);
  std::ranges::stable_sort(steps, std::greater<>(), [](const ProfiledStep* step) { return step->ns; });

  std::string text;
  append(text, "profile     %zu steps, each run separately: %.3f ms in total (medians of %d passes, by %s)\n",
         profile.steps.size(), ms(total), profile.passes, name_of(profile.method));
  append(text, "device      %.1f GFLOP/s of multiply-adds, %.1f GB/s of copies; the roofline assumes these rates\n\n",
         profile.device.multiply_adds_per_second * 2e-9, profile.device.copied_bytes_per_second * 1e-9);
  append(text, "      ms      %%    MMAC  GFLOP/s      KiB  roofline  step\n");
  for (const ProfiledStep* step : steps) {
    append(text, "%8.3f  %5.1f  %6.2f  %7.1f  %7.0f   %4.0f %% %s  ", ms(static_cast<double>(step->ns)),
           100 * share(static_cast<double>(step->ns), total), static_cast<double>(step->info.multiply_adds) * 1e-6,
           gflops(step->info.multiply_adds, static_cast<double>(step->ns)), kib(step->bytes()),
           100 * share(roofline_ns(*step, profile.device), static_cast<double>(step->ns)),
           bound_by_memory(*step, profile.device) ? "M" : "C");
    text += step->info.node + "  [" + step->info.kernel + "]\n";
  }
  append(text, "\n      ms      %%   steps    MMAC  GFLOP/s  roofline  kernel\n");
  for (const KernelTotal& kernel : kernel_totals(profile)) {
    append(text, "%8.3f  %5.1f  %6d  %6.2f  %7.1f   %4.0f %%    ", ms(static_cast<double>(kernel.ns)),
           100 * share(static_cast<double>(kernel.ns), total), kernel.steps,
           static_cast<double>(kernel.multiply_adds) * 1e-6,
           gflops(kernel.multiply_adds, static_cast<double>(kernel.ns)),
           100 * share(kernel.roofline_ns, static_cast<double>(kernel.ns)));
    text += kernel.kernel + "\n";
  }
  text += "\nroofline: share of the maximum speed of the device; C: limited by arithmetic, M: limited by memory\n";
  return text;
}

nlohmann::ordered_json device_speed_json(const DeviceSpeed& device) {
  return {{"multiply_add_gflops", device.multiply_adds_per_second * 2e-9},
          {"multiply_add_chains", device.chains},
          {"copy_gb_per_s", device.copied_bytes_per_second * 1e-9},
          {"copy_through", device.buffer_textures ? "buffer textures" : "storage blocks"}};
}

nlohmann::ordered_json profile_json(const StepProfile& profile) {
  using nlohmann::ordered_json;
  const auto total = static_cast<double>(profile.total_ns());
  ordered_json root{{"method", name_of(profile.method)},
                    {"passes", profile.passes},
                    {"total_ms", ms(total)},
                    {"device", device_speed_json(profile.device)}};
  root["steps"] = ordered_json::array();
  for (const ProfiledStep& step : profile.steps) {
    const auto ns = static_cast<double>(step.ns);
    root["steps"].push_back({{"node", step.info.node},
                             {"kernel", step.info.kernel},
                             {"level", step.info.level},
                             {"groups", step.info.groups},
                             {"ms", ms(ns)},
                             {"share", share(ns, total)},
                             {"multiply_adds", step.info.multiply_adds},
                             {"weight_bytes", step.info.weight_bytes},
                             {"read_bytes", step.info.read_bytes},
                             {"written_bytes", step.info.written_bytes},
                             {"gflops", gflops(step.info.multiply_adds, ns)},
                             {"roofline_share", share(roofline_ns(step, profile.device), ns)},
                             {"bound_by", bound_by_memory(step, profile.device) ? "memory" : "arithmetic"}});
  }
  root["kernels"] = ordered_json::array();
  for (const KernelTotal& kernel : kernel_totals(profile)) {
    const auto ns = static_cast<double>(kernel.ns);
    root["kernels"].push_back({{"kernel", kernel.kernel},
                               {"steps", kernel.steps},
                               {"ms", ms(ns)},
                               {"share", share(ns, total)},
                               {"multiply_adds", kernel.multiply_adds},
                               {"bytes", kernel.bytes},
                               {"gflops", gflops(kernel.multiply_adds, ns)},
                               {"roofline_share", share(kernel.roofline_ns, ns)}});
  }
  return root;
}

std::string format_trace(const StepProfile& profile, const std::string& title) {
  using nlohmann::ordered_json;
  ordered_json events = ordered_json::array();
  const auto name = [&events](const char* what, const std::string& value) {
    events.push_back({{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", value}}}});
  };
  name("process_name", title);
  name("thread_name", std::string("GPU steps, run separately, timed by ") + name_of(profile.method));
  int64_t at = 0;
  for (const ProfiledStep& step : profile.steps) {
    events.push_back({{"name", step.info.node},
                      {"cat", step.info.kernel},
                      {"ph", "X"},
                      {"ts", static_cast<double>(at) * 1e-3},
                      {"dur", static_cast<double>(step.ns) * 1e-3},
                      {"pid", 1},
                      {"tid", 1},
                      {"args",
                       {{"kernel", step.info.kernel},
                        {"level", step.info.level},
                        {"multiply_adds", step.info.multiply_adds},
                        {"bytes", step.bytes()},
                        {"gflops", gflops(step.info.multiply_adds, static_cast<double>(step.ns))}}}});
    at += step.ns;
  }
  return to_text({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}});
}

// Formats a StepProfile as an SVG image.

namespace {

// Hues that most people can distinguish, on white and with white text on them.
constexpr std::array kColors{"#1f77b4", "#d1600a", "#2a8a3a", "#b4262b", "#7a52a8",
                             "#7d4f3a", "#b0449a", "#4d4d4d", "#7f7a12", "#0e8a99"};

constexpr int kWidth = 1280, kMargin = 20, kRow = 18, kHeader = 26;
constexpr int kLabelWidth = 430, kFigureWidth = 230;
constexpr int kBarLeft = kMargin + kLabelWidth + 10, kBarWidth = kWidth - kBarLeft - kFigureWidth - kMargin;
// Steps below this share of the time are drawn as one bar.
constexpr double kWorthABar = 0.004;
constexpr size_t kLabelCharacters = 60, kHeaderCharacters = 105;

class ProfileDrawing {
 public:
  ProfileDrawing(const StepProfile& profile, const std::string& title)
      : profile_(profile), total_(std::max<double>(static_cast<double>(profile.total_ns()), 1)) {
    for (const ProfiledStep& step : profile.steps) longest_ = std::max(longest_, static_cast<double>(step.ns));
    for (const KernelTotal& kernel : kernel_totals(profile)) {
      const std::string file = kernel.kernel.substr(0, kernel.kernel.find(' '));
      colors_.emplace(file, kColors[colors_.size() % kColors.size()]);
    }
    y_ = 30;
    text(kMargin, y_, 18, "bold", xml_text(title, 120));
    std::string line;
    append(line,
           "%zu steps, %.3f ms in total, each step run separately (median of %d passes, by %s); device: %.1f "
           "GFLOP/s of multiply-adds, %.1f GB/s of copies",
           profile.steps.size(), total_ * 1e-6, profile.passes, name_of(profile.method),
           profile.device.multiply_adds_per_second * 2e-9, profile.device.copied_bytes_per_second * 1e-9);
    y_ += 22;
    text(kMargin, y_, 12, "normal", line);
    y_ += 14;
    overview();
    for (const KernelTotal& kernel : kernel_totals(profile)) group(kernel);
    y_ += 8;
    text(kMargin, y_ + 12, 11, "normal",
         "Dark: time of the step at the limits of the device (roofline). All bars have the same scale. Percentages are "
         "shares of the total time.");
    y_ += 26;
  }

  std::string finish() const {
    std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    append(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", kWidth,
           y_, kWidth, y_);
    svg += "font-family=\"DejaVu Sans, Liberation Sans, Arial, sans-serif\">\n";
    append(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", kWidth, y_);
    return svg + body_ + "</svg>\n";
  }

 private:
  const char* color_of(const std::string& kernel) const { return colors_.at(kernel.substr(0, kernel.find(' '))); }

  // `content` must be escaped.
  void text(double x, double y, int size, const char* weight, const std::string& content, const char* anchor = "start",
            const char* fill = "#1a1a1a") {
    append(body_, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" font-weight=\"%s\" text-anchor=\"%s\" fill=\"%s\">", x,
           y, size, weight, anchor, fill);
    body_ += content + "</text>\n";
  }

  void bar(double x, double y, double width, double height, const char* fill, double opacity = 1) {
    append(body_, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%.2f\"/>\n", x,
           y, std::max(width, 0.5), height, fill, opacity);
  }

  // Draws the total time as one bar, divided by shader.
  void overview() {
    std::map<std::string, double> by_file;
    for (const ProfiledStep& step : profile_.steps) {
      by_file[step.info.kernel.substr(0, step.info.kernel.find(' '))] += static_cast<double>(step.ns);
    }
    std::vector<std::pair<std::string, double>> files(by_file.begin(), by_file.end());
    std::ranges::sort(files, std::greater<>(), &std::pair<std::string, double>::second);
    double x = kMargin;
    for (const auto& [file, ns] : files) {
      const double width = ns / total_ * (kWidth - 2 * kMargin);
      bar(x, y_, width, 30, colors_.at(file));
      const std::string label = file + " " + std::to_string(std::lround(100 * ns / total_)) + " %";
      if (width > 7.2 * static_cast<double>(label.size())) {
        text(x + width / 2, y_ + 20, 12, "bold", xml_text(label, 60), "middle", "#ffffff");
      }
      x += width;
    }
    y_ += 40;
  }

  void row(const std::string& label, double ns, double limit_ns, int64_t multiply_adds, const char* color) {
    text(kBarLeft - 8, y_ + 13, 11, "normal", xml_text(label, kLabelCharacters), "end");
    bar(kBarLeft, y_ + 3, ns / longest_ * kBarWidth, kRow - 5, color, 0.45);
    bar(kBarLeft, y_ + 3, std::min(limit_ns, ns) / longest_ * kBarWidth, kRow - 5, color);
    std::string figures;
    append(figures, "%.3f ms, %.1f %%", ns * 1e-6, 100 * ns / total_);
    if (multiply_adds > 0) append(figures, ", %.1f GFLOP/s", gflops(multiply_adds, ns));
    text(kBarLeft + ns / longest_ * kBarWidth + 6, y_ + 13, 11, "normal", figures);
    y_ += kRow;
  }

  void group(const KernelTotal& kernel) {
    std::vector<const ProfiledStep*> steps;
    for (const ProfiledStep& step : profile_.steps) {
      if (step.info.kernel == kernel.kernel) steps.push_back(&step);
    }
    std::ranges::stable_sort(steps, std::greater<>(), [](const ProfiledStep* step) { return step->ns; });
    const char* color = color_of(kernel.kernel);
    bar(kMargin, y_ + 6, 12, 12, color);
    std::string figures;
    append(figures, ": %d %s, %.3f ms, %.1f %%", kernel.steps, kernel.steps == 1 ? "step" : "steps",
           static_cast<double>(kernel.ns) * 1e-6, 100 * static_cast<double>(kernel.ns) / total_);
    if (kernel.multiply_adds > 0) {
      append(figures, ", %.1f GFLOP/s", gflops(kernel.multiply_adds, static_cast<double>(kernel.ns)));
    }
    text(kMargin + 18, y_ + 17, 12, "bold", xml_text(kernel.kernel, kHeaderCharacters) + figures);
    y_ += kHeader;
    double rest = 0, rest_limit = 0;
    int64_t rest_multiply_adds = 0;
    int others = 0;
    for (const ProfiledStep* step : steps) {
      const auto ns = static_cast<double>(step->ns);
      if (ns >= kWorthABar * total_ || steps.size() == 1) {
        row(step->info.node, ns, roofline_ns(*step, profile_.device), step->info.multiply_adds, color);
        continue;
      }
      ++others;
      rest += ns;
      rest_limit += roofline_ns(*step, profile_.device);
      rest_multiply_adds += step->info.multiply_adds;
    }
    // The rest may be longer than the longest step. Such a bar would exceed the image.
    if (others > 0 && rest <= longest_) {
      row(std::to_string(others) + " short steps together", rest, rest_limit, rest_multiply_adds, color);
    } else if (others > 0) {
      std::string line;
      append(line, "%d short steps together: %.3f ms, %.1f %%", others, rest * 1e-6, 100 * rest / total_);
      text(kBarLeft, y_ + 13, 11, "normal", line);
      y_ += kRow;
    }
    y_ += 6;
  }

  const StepProfile& profile_;
  double total_, longest_ = 1;
  std::map<std::string, const char*> colors_;  // by shader file
  int y_ = 0;
  std::string body_;
};

}  // namespace

std::string format_svg(const StepProfile& profile, const std::string& title) {
  return ProfileDrawing(profile, title).finish();
}

}  // namespace sightglass
