#include "video/playback_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/secrets.h"

namespace sightglass::video {

namespace {

// File names may have bytes that are not UTF-8.
void print(const nlohmann::ordered_json& line) {
  const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

std::string clock_text(double seconds) {
  const int whole = static_cast<int>(std::ceil(seconds));
  char text[32];
  std::snprintf(text, sizeof(text), "%d:%02d", whole / 60, whole % 60);
  return text;
}

}  // namespace

void PlaybackReport::starting(const std::string& pipeline) {
  if (style_ == ReportStyle::kJson) return print({{"event", "starting"}, {"pipeline", without_secrets(pipeline)}});
  line_.show("starting");
}

void PlaybackReport::progress(const PlaybackProgress& progress) {
  const bool known = progress.duration > 0;
  const double share = known ? std::clamp(progress.position / progress.duration, 0.0, 1.0) : 0;
  const double left = share > 0 ? progress.seconds * (1 - share) / share : 0;
  if (style_ == ReportStyle::kJson) {
    nlohmann::ordered_json line = {{"event", "progress"},
                                   {"frames", progress.frames},
                                   {"rate", rounded(progress.rate)},
                                   {"position", rounded(progress.position)}};
    if (known) line["duration"] = rounded(progress.duration);
    if (known) line["remaining"] = rounded(left);
    return print(line);
  }
  char rate[64];
  std::snprintf(rate, sizeof(rate), "%.1f frames per second", progress.rate);
  if (!known) return line_.show(std::to_string(progress.frames) + " frames, " + rate);
  const std::string remaining = share > 0 ? ", " + clock_text(left) + " left" : std::string();
  line_.show(std::string("s, ") + rate + remaining, static_cast<int>(progress.position),
             static_cast<int>(std::ceil(progress.duration)));
}

void PlaybackReport::note(const char* event, const std::string& text) {
  note_with_secret(event, without_secrets(text));
}

void PlaybackReport::note_with_secret(const char* event, const std::string& text) {
  if (style_ == ReportStyle::kJson) return print({{"event", event}, {"message", text}});
  line_.clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void PlaybackReport::finished(const PlaybackResult& result, const std::string& output) {
  if (style_ == ReportStyle::kJson) {
    return print({{"event", "finished"},
                  {"output", without_secrets(output)},
                  {"frames", result.frames},
                  {"width", result.width},
                  {"height", result.height},
                  {"rate", rounded(result.rate())},
                  {"model_ms", rounded(result.model_ms)},
                  {"gpu_ms", rounded(result.gpu_ms)},
                  {"cpu_ms", rounded(result.cpu_ms)},
                  {"start_ms", rounded(result.start_ms)}});
  }
  line_.clear();
  std::fprintf(stderr, "%llu frames of %dx%d, %.1f per second\n", static_cast<unsigned long long>(result.frames),
               result.width, result.height, result.rate());
  if (result.gpu_ms > 0) {
    std::fprintf(stderr, "per frame: model %.1f ms, model and compositing %.1f ms on the GPU; %.1f ms on the CPU\n",
                 result.model_ms, result.gpu_ms, result.cpu_ms);
  } else if (result.cpu_ms > 0) {
    std::fprintf(stderr, "per frame: %.1f ms on the CPU; no GPU time was measured\n", result.cpu_ms);
  }
  if (result.start_ms > 0) std::fprintf(stderr, "start of the model: %.0f ms\n", result.start_ms);
  if (!output.empty()) std::fprintf(stderr, "written: %s\n", without_secrets(output).c_str());
}

}  // namespace sightglass::video
