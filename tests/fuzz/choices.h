// Bytes as the choices of a generator: a fuzzer that changes bytes changes the generated model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sightglass::test {

class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Returns 0 if no bytes are left.
  uint8_t byte() {
    if (at_ == bytes_.size()) return 0;
    return bytes_[at_++];
  }
  size_t below(size_t bound) { return byte() % bound; }
  bool one_in(size_t bound) { return below(bound) == bound - 1; }
  template <typename List>
  auto pick(const List& list) {
    return std::data(list)[below(std::size(list))];
  }
  std::string text(size_t most) {
    std::string result(below(most + 1), '\0');
    for (char& c : result) c = static_cast<char>(byte());
    return result;
  }
  std::span<const uint8_t> rest() { return bytes_.subspan(at_); }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace sightglass::test
