// Keeps private data out of reports.
#pragma once

#include <string>
#include <vector>

namespace sightglass::doctor {

// Words of this machine that reports must not contain. Empty: unknown.
struct PrivateWords {
  // Home directories of the user: $HOME, and the one of the user database, each also without symbolic links.
  std::vector<std::string> homes;
  // Home directories of other users, if they can log in.
  std::vector<std::string> other_homes;
  std::string user, host;
};

PrivateWords private_words();

// Replaces home directories of the user with ~, those of other users, and whatever is
// below /home, with "/home/USER", and user directories below /run with a placeholder. Replaces the user name and the
// host name, as whole words, with "USER" and "HOST". Names that are ordinary words of reports ("root", "localhost")
// stay outside of paths, because they identify no person.
std::string without_private_words(std::string text, const PrivateWords& words);

// For names of devices: replaces serial numbers, which are words of at least eight letters and digits with at least
// four digits, with "…".
std::string without_serials(const std::string& name);

}  // namespace sightglass::doctor
