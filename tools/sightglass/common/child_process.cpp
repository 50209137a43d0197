#include "common/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace sightglass {

namespace {

std::vector<std::string> changed_environment(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool changed =
        std::ranges::any_of(changes, [&](const auto& change) { return text.starts_with(change.first + "="); });
    if (!changed) result.emplace_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// An unlinked file, which disappears with its descriptor.
int temporary_file() {
  std::string path = (std::filesystem::temp_directory_path() / "sightglass-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

std::string contents(int file) {
  std::string text;
  std::array<char, 4096> buffer;
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t read = 0; (read = ::read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(read));
  }
  return text;
}

}  // namespace

Result<std::string> run_process(const std::vector<std::string>& arguments,
                                const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> argument_copies = arguments, environment = changed_environment(changes);
  const std::vector<char*> argv = pointers_to(argument_copies), envp = pointers_to(environment);
  // Files, not pipes: a process that writes to both then never waits for a reader.
  const int output = temporary_file(), errors = temporary_file();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      output < 0 || errors < 0 ? EIO : ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (failed == 0) {
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  const std::string text = failed == 0 ? contents(output) : "", messages = failed == 0 ? contents(errors) : "";
  for (const int file : {output, errors}) {
    if (file >= 0) ::close(file);
  }
  if (failed != 0) return internal_error("cannot start " + arguments[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const std::string reason = messages.empty() ? arguments[0] + " failed" : messages;
  return WIFEXITED(status) && WEXITSTATUS(status) == kProgramMissing ? not_found(reason) : internal_error(reason);
}

}  // namespace sightglass
