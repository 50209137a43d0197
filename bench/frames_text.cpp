#include <algorithm>
#include <utility>
#include <vector>

#include "common/formatting.h"
#include "comparison.h"
#include "report_text.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

std::string row_name(const json& frames) {
  std::string name = frames.at("name");
  append(name, ", %d × %d", frames.at("width").get<int>(), frames.at("height").get<int>());
  return name;
}

// The sum over the elements of a chain.
double sum_of(const json& frames, const char* field) {
  double sum = 0;
  for (const json& element : frames.value("elements", json::array())) sum += element.value(field, 0.0);
  return sum;
}

}  // namespace

void append_frames(std::string& text, const json& measured) {
  auto frames = measured.get<std::vector<json>>();
  std::ranges::stable_sort(frames, {}, [](const json& one) {
    return std::pair(one.at("streams").get<int>(), one.at("width").get<int>() * one.at("height").get<int>());
  });
  text += R"(
## Frames

Rendered frames, RGBA in GPU memory, `… ! fakesink`. Frames per second: of all streams together, including the rendering
of the frames, whose rate is in the rows "source only". GPU time: of the elements only, in milliseconds per frame.
Latency: milliseconds from the source to the sink for one frame at a time, including the wait for the GPU. Copies: between
CPU and GPU, as the tracer `zerocopy` counts them over the whole run.

| elements, frame | streams | frames/s | slowest stream | GPU time p50 | p95 | latency p50 | p95 | resident MiB | copies |
|---|---|---|---|---|---|---|---|---|---|
)";
  for (const json& one : frames) {
    append(text, "| %s | %d | ", row_name(one).c_str(), one.at("streams").get<int>());
    if (one.contains("error") || !one.contains("frames_per_second")) {
      text += "not measured | – | – | – | – | – | – | – |\n";
      continue;
    }
    append(text, "%.1f | %.1f | ", one.at("frames_per_second").get<double>(),
           one.at("slowest_stream_frames_per_second").get<double>());
    // No frame was timed if too few left before the end.
    if (const double p50 = sum_of(one, "gpu_time_p50_ms"); p50 > 0) {
      append(text, "%.2f | %.2f | ", p50, sum_of(one, "gpu_time_p95_ms"));
    } else {
      text += "– | – | ";
    }
    if (one.contains("latency_ms")) {
      append(text, "%.2f | %.2f | ", one.at("latency_ms").at("p50").get<double>(),
             one.at("latency_ms").at("p95").get<double>());
    } else {
      text += "– | – | ";
    }
    append(text, "%.0f | %lld |\n", one.at("resident_mib").get<double>(),
           static_cast<long long>(one.at("copies").at("count").get<int64_t>()));
  }
}

void append_compared(std::string& text, const json& compared) {
  text += R"(
## Other engines on this machine

The same model and the same input, in turn. Times include the upload of the inputs and the readback of the outputs.

| model | engine | on | theirs, ms | ours, ms | times as fast | note |
|---|---|---|---|---|---|---|
)";
  std::string missing;
  std::vector<Ratio> ratios;
  for (const json& one : compared) {
    const auto engine = one.at("engine").get<std::string>();
    if (one.contains("missing")) {
      missing += "- " + engine + ": " + one.at("missing").get<std::string>() + "\n";
      continue;
    }
    const Ratio ratio{one.at("model"), one.at("ours_ms"), one.at("ms"), one.value("note", "")};
    append(text, "| %s | %s | %s | %.2f | %.2f | %.2f | ", ratio.name.c_str(), engine.c_str(),
           one.value("device", "–").c_str(), ratio.theirs, ratio.ours, ratio.times_as_fast());
    text += ratio.note + " |\n";
  }
  if (!missing.empty()) text += "\nNot measured:\n\n" + missing;
}

}  // namespace sightglass::bench
