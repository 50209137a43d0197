// Keeps private data out of reports.
#pragma once

#include <string>

namespace sightglass::doctor {

// Words of this machine that reports must not contain. Empty: unknown.
struct PrivateWords {
  std::string home, user, host;
};

PrivateWords private_words();

// Replaces the home directory with ~, other home directories below /home and user directories below /run with
// placeholders, and the user name and the host name, as whole words, with "USER" and "HOST". Names that are ordinary
// words of reports ("root", "localhost") stay, because they identify nobody.
std::string without_private_words(std::string text, const PrivateWords& words);

// For names of devices: replaces serial numbers, which are words of at least eight letters and digits with at least
// four digits, with "…".
std::string without_serials(const std::string& name);

}  // namespace sightglass::doctor
