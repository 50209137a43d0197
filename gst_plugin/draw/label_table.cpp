#include "draw/label_table.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gl/objects.h"

namespace sightglass {

namespace {

// The start of the block Labels.
struct Header {
  float height = 0, scale = 1;
  float unused[2]{};
};

}  // namespace

LabelTable::LabelTable(const GlApi& gl, std::span<const std::string> labels) : gl_(&gl) {
  for (int32_t percent = 0; percent <= kMostPercent; ++percent) lines_.push_back(std::to_string(percent) + "%");
  for (int32_t digit = 0; digit < 10; ++digit) lines_.push_back(std::to_string(digit));
  lines_.push_back("#");
  lines_.insert(lines_.end(), labels.begin(), labels.end());
  upload();
}

void LabelTable::set_height(int32_t height) {
  constexpr int32_t kMostWidth = 12;  // of a label, in multiples of the height
  if (height == atlas_.height()) return;
  atlas_ = TextAtlas(*gl_, lines_, height, kMostWidth * height);
  upload();
}

void LabelTable::upload() {
  const Header header{static_cast<float>(atlas_.height()), atlas_.scale()};
  const auto places = std::as_bytes(std::span(atlas_.places()));
  std::vector<std::byte> bytes(sizeof(header) + places.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::ranges::copy(places, bytes.begin() + sizeof(header));
  buffer_ = make_storage(*gl_, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  block_ = {buffer_.id(), 0, static_cast<GLsizeiptr>(bytes.size())};
}

}  // namespace sightglass
