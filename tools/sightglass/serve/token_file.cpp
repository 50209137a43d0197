#include "serve/token_file.h"

#include <fcntl.h>
#include <gst/gst.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace sightglass::serve {

namespace {

std::string runtime_directory() {
  // Set by systemd for units with RuntimeDirectory=.
  const char* service = std::getenv("RUNTIME_DIRECTORY");
  if (service != nullptr && *service == '/') return std::string(service, std::strcspn(service, ":"));
  return g_get_user_runtime_dir();  // or the cache directory of the user
}

}  // namespace

TokenFile::~TokenFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status TokenFile::write(const std::string& token, uint16_t port) {
  const std::string folder = runtime_directory();
  const std::string path = folder + "/sightglass-" + std::to_string(port) + ".token";
  constexpr int kOnlyUser = 0700;
  g_mkdir_with_parents(folder.c_str(), kOnlyUser);
  ::unlink(path.c_str());  // of a process that was killed
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const std::string line = token + "\n";
  const bool written = file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int reason = errno;
  if (file >= 0) path_ = path;
  if (file >= 0) ::close(file);
  if (written) return {};
  return device_error(path + ": cannot write the token: " + std::strerror(reason) +
                      "; set SIGHTGLASS_TOKEN to a token of at least 16 letters, digits, and -._~");
}

}  // namespace sightglass::serve
