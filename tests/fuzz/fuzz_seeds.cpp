// Writes the initial corpus: fuzz_seeds FOLDER [FOLDER-OF-MODELS]. FOLDER/importer gets the sample models and the small
// *.tflite files of the second directory. archive, bundle, changing, labels, package, picture, and report get samples
// of other files.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "sample_files.h"

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kLargestSeed = 16384;

int write_all(const fs::path& folder, const std::vector<sightglass::test::SampleFile>& samples,
              const std::string& extension = "") {
  fs::create_directories(folder);
  for (const sightglass::test::SampleFile& sample : samples) {
    std::ofstream file(folder / (sample.name + extension), std::ios::binary);
    file.write(reinterpret_cast<const char*>(sample.bytes.data()), static_cast<std::streamsize>(sample.bytes.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + (folder / sample.name).string());
  }
  return static_cast<int>(samples.size());
}

int write_seeds(const fs::path& folder, const fs::path& models) {
  using namespace sightglass::test;  // NOLINT(google-build-using-namespace): all of the samples
  int count = write_all(folder / "importer", sample_models(), ".tflite");
  count += write_all(folder / "archive", sample_archives());
  count += write_all(folder / "bundle", sample_bundles());
  count += write_all(folder / "labels", sample_labels());
  count += write_all(folder / "package", sample_packages());
  count += write_all(folder / "picture", sample_pictures());
  count += write_all(folder / "changing", sample_changing_files());
  count += write_all(folder / "report", sample_named_models(), ".tflite");
  count += write_all(folder / "http", sample_heads());
  count += write_all(folder / "offer", sample_offers());
  count += write_all(folder / "address", sample_addresses());
  if (!fs::is_directory(models)) return count;
  for (const fs::directory_entry& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() != ".tflite" || entry.file_size() > kLargestSeed) continue;
    fs::copy_file(entry.path(), folder / "importer" / entry.path().filename(), fs::copy_options::overwrite_existing);
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s FOLDER [FOLDER-OF-MODELS]\n", argv[0]);
    return 2;
  }
  try {
    std::printf("%d seeds in %s\n", write_seeds(argv[1], argc == 3 ? argv[2] : ""), argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
  return 0;
}
