// Compares results, as ratios.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sightglass::bench {

struct Ratio {
  std::string name;
  double ours = 0, theirs = 0;  // milliseconds
  std::string note;
  double times_as_fast() const { return theirs / ours; }
};

double geometric_mean(const std::vector<Ratio>& ratios);  // of times_as_fast(); 0 if empty

// The name of a model in results and peers: its file name without directory and suffix.
std::string model_name(const nlohmann::json& model);

// The time that all steps of a model need at the limits of the device, in milliseconds; 0 without a profile.
double roofline_ms(const nlohmann::json& model);

// Our runs with upload and readback, compared with another engine (docs/benchmarks/peers.json).
std::vector<Ratio> against_peer(const nlohmann::json& models, const nlohmann::json& engine);
// All times that both results contain, the newer first: models, their starts, operators, pipelines.
std::vector<Ratio> against_results(const nlohmann::json& now, const nlohmann::json& before);

// Runs of the models with tuned kernel variants, compared with the defaults of the device family.
std::vector<Ratio> against_defaults(const nlohmann::json& tuned, const nlohmann::json& defaults);

}  // namespace sightglass::bench
