// Files that another program shortens and overwrites while they are read.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "exercise_files.h"
#include "infer/labels.h"
#include "model_store.h"
#include "pictures.h"
#include "sightglass/plan.h"
#include "task_bundle.h"

namespace sightglass::test {
namespace {

void require_good_error(const Status& status) {
  if (status.ok() || (!status.message().empty() && status.code() != ErrorCode::kInternal)) return;
  std::fprintf(stderr, "broken: %s\n", status.message().c_str());
  std::abort();
}

// A file in memory that a thread shortens, overwrites, and writes again, as `cp` does, until this is destroyed.
class ChangingFile {
 public:
  explicit ChangingFile(Bytes bytes)
      : descriptor_(memfd_create("changing", MFD_CLOEXEC)), thread_([this, bytes] { change(bytes); }) {
    while (!begun_) std::this_thread::yield();
  }
  ~ChangingFile() {
    stop();
    close(descriptor_);
  }
  ChangingFile(const ChangingFile&) = delete;
  ChangingFile& operator=(const ChangingFile&) = delete;
  // Leaves the file empty.
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  void change(Bytes bytes) {
    size_t round = 0;
    do {
      put(bytes);
      begun_ = true;
      std::this_thread::yield();
      if (ftruncate(descriptor_, static_cast<off_t>(bytes.size() * (round % 4) / 4)) != 0) std::abort();
      ++round;
    } while (!stopped_);
    if (ftruncate(descriptor_, 0) != 0) std::abort();
  }
  void put(Bytes bytes) const {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t count = pwrite(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (count <= 0) std::abort();
      at += static_cast<size_t>(count);
    }
  }

  const int descriptor_;
  std::atomic<bool> begun_ = false, stopped_ = false;
  std::thread thread_;
};

void read_model(ChangingFile& file) {
  const auto stored = load_stored_model(file.path(), {});
  require_good_error(stored.status());
  file.stop();
  // Whatever was loaded stays.
  if (stored.ok()) require_good_error(Plan::build(stored->model, DeviceLimits{}).status());
}

void read_bundle(ChangingFile& file) {
  const auto bundle = TaskBundle::open(file.path());
  require_good_error(bundle.status());
  file.stop();
  if (!bundle.ok()) return;
  for (const TaskBundle::Member& member : bundle->members()) require_good_error(bundle->read(member.name).status());
}

}  // namespace

void exercise_changing(Bytes bytes) {
  if (bytes.empty()) return;
  constexpr int32_t kLargestSide = 256;
  ChangingFile file(bytes.subspan(1));
  switch (std::to_integer<int>(bytes[0]) % 4) {
    case 0:
      return read_model(file);
    case 1:
      return read_bundle(file);
    case 2:
      return require_good_error(decode_picture(file.path(), kLargestSide).status());
    default:
      return require_good_error(load_labels(file.path()).status());
  }
}

}  // namespace sightglass::test
