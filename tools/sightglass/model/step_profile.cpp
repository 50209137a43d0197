#include "model/step_profile.h"

#include <algorithm>
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

}  // namespace sightglass
