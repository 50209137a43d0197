#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace sightglass::bench {

namespace {

using nlohmann::json;

// The number at a JSON pointer; empty if it is missing.
std::optional<double> number(const json& object, const std::string& pointer) {
  const json::json_pointer path(pointer);
  if (!object.is_object() || !object.contains(path) || !object.at(path).is_number()) return std::nullopt;
  const double value = object.at(path).get<double>();
  return value > 0 ? std::optional(value) : std::nullopt;
}

// All times of a set of results, with readable names.
std::vector<std::pair<std::string, double>> times_of(const json& results) {
  std::vector<std::pair<std::string, double>> times;
  const auto add = [&times](const std::string& name, const std::optional<double>& ms) {
    if (ms) times.emplace_back(name, *ms);
  };
  const auto entries = [&results](const char* section, const char* list) {
    const json empty = json::array();
    return results.contains(section) ? results.at(section).value(list, empty) : empty;
  };
  for (const json& model : entries("models", "models")) {
    const std::string name = model_name(model);
    add(name + ", run", number(model, "/run_ms/median"));
    add(name + ", cold start", number(model, "/start_ms/cold/total"));
    add(name + ", warm start", number(model, "/start_ms/warm/total"));
  }
  for (const json& entry : entries("operators", "operators")) add(entry.at("name"), number(entry, "/ms"));
  for (const json& entry : entries("element", "pipelines")) add(entry.at("name"), number(entry, "/ms_per_frame"));
  return times;
}

}  // namespace

double geometric_mean(const std::vector<Ratio>& ratios) {
  if (ratios.empty()) return 0;
  double sum = 0;
  for (const Ratio& ratio : ratios) sum += std::log(ratio.times_as_fast());
  return std::exp(sum / static_cast<double>(ratios.size()));
}

std::string model_name(const json& model) {
  return std::filesystem::path(model.at("model").get<std::string>()).stem().string();
}

double roofline_ms(const json& model) {
  double sum = 0;
  if (!model.contains("profile")) return sum;
  for (const json& kernel : model.at("profile").at("kernels")) {
    sum += kernel.at("ms").get<double>() * kernel.at("roofline_share").get<double>();
  }
  return sum;
}

std::vector<Ratio> against_peer(const json& models, const json& engine) {
  std::vector<Ratio> ratios;
  for (const json& model : models) {
    const std::string name = model_name(model);
    const std::optional<double> ours = number(model, "/run_with_transfers_ms/median");
    if (!ours || !engine.at("models").contains(name)) continue;
    const json& peer = engine.at("models").at(name);
    ratios.push_back({name, *ours, peer.at("ms").get<double>(), peer.value("note", "")});
  }
  return ratios;
}

std::vector<Ratio> against_results(const json& now, const json& before) {
  std::map<std::string, double> known;
  for (const auto& [name, ms] : times_of(before)) known.emplace(name, ms);
  std::vector<Ratio> ratios;
  for (const auto& [name, ms] : times_of(now)) {
    const auto entry = known.find(name);
    if (entry != known.end()) ratios.push_back({name, ms, entry->second, ""});
  }
  return ratios;
}

std::vector<Ratio> against_defaults(const json& tuned, const json& defaults) {
  std::vector<Ratio> ratios;
  for (const json& model : tuned) {
    const std::string name = model_name(model);
    const auto before = std::ranges::find_if(defaults, [&](const json& other) { return model_name(other) == name; });
    if (before == defaults.end()) continue;
    ratios.push_back({name, model.at("run_ms").at("median").get<double>(),
                      before->at("run_ms").at("median").get<double>(), model.at("tuning").value("note", "")});
  }
  return ratios;
}

}  // namespace sightglass::bench
