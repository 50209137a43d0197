#include "exercises.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "choices.h"
#include "exercise_model.h"
#include "generated_models.h"
#include "gpu_engine/quoted.h"
#include "model_builder.h"
#include "shader/fnv_hash.h"
#include "sightglass/device.h"
#include "sightglass/plan.h"
#include "sightglass/program_cache.h"
#include "sightglass/tuner.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

// One directory per process, removed when it ends.
const std::string& scratch() {
  struct Folder {
    std::string path = (fs::temp_directory_path() / ("sightglass-fuzz-" + std::to_string(getpid()))).string();
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

void put_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// A convolution, whose kernels have variants.
std::shared_ptr<const Model> tunable_model() {
  ModelBuilder m;
  m.add_output(add_pointwise_head(m, 8, std::vector<float>(12, 0.5f), std::vector<float>(4, 0.25f)));
  auto model = Model::load(m.build(), "tunable");
  require(model.ok(), "no model to tune");
  return *model;
}

}  // namespace

void exercise_weights(std::span<const uint8_t> choices) { (void)exercise_model(weights_model(choices)); }

void exercise_metadata(std::span<const uint8_t> choices) {
  const std::vector<std::byte> file = metadata_model(choices);
  const auto model = Model::load(file, "fuzzed");
  require(model.ok(), "metadata kept a model from loading: " + model.status().message());
  const ModelMetadata& metadata = (*model)->metadata();
  size_t labels = 0;
  for (const auto* tensors : {&metadata.inputs, &metadata.outputs}) {
    for (const TensorMetadata& tensor : *tensors) {
      labels += tensor.labels().size();
      require(tensor.mean.size() == tensor.deviation.size(), "means without deviations");
      for (const float deviation : tensor.deviation) require(deviation != 0, "a deviation of 0");
    }
  }
  labels += metadata.exporter.class_names.size();
  require(labels <= size_t{1} << 20, "too many labels");
  for (const std::string& problem : metadata.problems)
    require(problem == printable(problem), "a name that is not quoted");
}

void exercise_tuning_file(std::span<const uint8_t> file) {
  static const std::shared_ptr<const Model> model = tunable_model();
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const Result<Tuning> parsed = Tuning::parse(text);
  if (parsed.ok()) {
    const Result<Tuning> again = Tuning::parse(parsed->to_text());
    require(again.ok() && *again == *parsed, "results of tuning that change when they are written and read");
  } else {
    require(parsed.status().message() == printable(parsed.status().message()), "a message that is not printable");
  }
  DeviceInfo device;
  device.vendor = "vendor";
  device.renderer = "renderer";
  device.version = "version";
  device.limits = DeviceLimits::typical();
  put_file(tuning_path(scratch(), device), file);
  put_file(shipped_tuning_path(scratch(), device), file);
  std::string note;
  const TuningFolders folders{scratch(), scratch()};
  const auto tuning = prepare_tuning(nullptr, model, device, {}, TuningMode::kCached, folders, {}, &note);
  require(tuning.ok(), "a file of a cache kept a model from starting");
  require(note == printable(note), "a note that is not printable: " + note);
  PlanOptions options;
  options.tuning = parsed.ok() ? std::make_shared<const Tuning>(*parsed) : *tuning;
  const auto plan = Plan::build(model, device.limits, options);
  require(plan.ok(), "no plan with that tuning: " + plan.status().message());
}

void exercise_program_cache(std::span<const uint8_t> bytes) {
  // In the format of the cache: the checksum is the last number in a header of 40 bytes.
  constexpr size_t kHeader = 40, kChecksum = 32;
  static const std::string key = "a program";
  Choices choices(bytes);
  const uint8_t how = choices.byte();
  const std::string folder = scratch() + "/programs";
  fs::remove_all(folder);
  ProgramCache cache(folder);
  ProgramCache::Binary binary;
  binary.format = 7;
  binary.bytes.assign(64, std::byte{5});
  cache.store(key, binary);
  require(cache.stored() == 1, "a program could not be stored");
  const std::string path = fs::directory_iterator(folder)->path().string();
  std::vector<uint8_t> file;
  if (how % 4 == 0) {
    file.assign(choices.rest().begin(), choices.rest().end());
  } else {
    std::ifstream stored(path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(stored), {});
    for (size_t i = choices.below(12); i > 0; --i) file[choices.byte() % file.size()] = choices.byte();
    if (how % 4 == 1) file.resize(choices.byte() % (file.size() + 1));
    if (how % 4 == 2) file.insert(file.end(), choices.rest().begin(), choices.rest().end());
    // With a correct checksum, the other numbers are read.
    if (how % 8 >= 4 && file.size() >= kHeader) {
      std::memset(file.data() + kChecksum, 0, sizeof(uint64_t));
      const uint64_t checksum = FnvHash().add(file.data(), file.size()).value();
      std::memcpy(file.data() + kChecksum, &checksum, sizeof checksum);
    }
  }
  put_file(path, file);
  const auto found = cache.find(key);
  if (found) require(found->bytes.size() <= file.size(), "a program larger than its file");
  cache.store(key, binary);
  const auto again = cache.find(key);
  require(again && again->bytes == binary.bytes && again->format == binary.format, "a program that was stored anew");
}

}  // namespace sightglass::test
