#include "metadata_builder.h"

namespace sightglass::test {
namespace {

void put(std::vector<std::byte>& bytes, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i < sizeof number ? number >> (8 * i) : 0));
}
void put(std::vector<std::byte>& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

}  // namespace

void attach(std::vector<std::byte>& file, const std::vector<Attached>& members, bool from_archive) {
  const size_t origin = from_archive ? file.size() : 0;
  std::vector<size_t> offsets;
  for (const Attached& member : members) {
    offsets.push_back(file.size() - origin);
    put(file, 0x04034b50, 4);
    put(file, 20, 2);
    put(file, 0, 2);
    put(file, member.method, 2);
    put(file, 0, 8);  // time, date, checksum
    put(file, member.contents.size(), 4);
    put(file, member.contents.size(), 4);
    put(file, member.name.size(), 2);
    put(file, 0, 2);
    put(file, member.name);
    put(file, member.contents);
  }
  const size_t directory = file.size();
  for (size_t i = 0; i < members.size(); ++i) {
    put(file, 0x02014b50, 4);
    put(file, 20, 2);
    put(file, 20, 2);
    put(file, 0, 2);
    put(file, members[i].method, 2);
    put(file, 0, 8);
    put(file, members[i].contents.size(), 4);
    put(file, members[i].contents.size(), 4);
    put(file, members[i].name.size(), 2);
    put(file, 0, 12);  // extra field, comment, disk, attributes
    put(file, offsets[i], 4);
    put(file, members[i].name);
  }
  const size_t size = file.size() - directory;
  put(file, 0x06054b50, 4);
  put(file, 0, 4);
  put(file, members.size(), 2);
  put(file, members.size(), 2);
  put(file, size, 4);
  put(file, directory - origin, 4);
  put(file, 0, 2);
}

std::vector<uint8_t> packed(const schema::ModelDescriptionT& description) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelDescriptionBuffer(builder, schema::ModelDescription::Pack(builder, &description));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void add_metadata(ModelBuilder& builder, const std::vector<uint8_t>& metadata) {
  auto& entry = *builder.model().metadata.emplace_back(std::make_unique<schema::MetadataT>());
  entry.name = "TFLITE_METADATA";
  entry.buffer = static_cast<uint32_t>(builder.model().buffers.size());
  builder.model().buffers.push_back(std::make_unique<schema::BufferT>());
  builder.model().buffers.back()->data = metadata;
}

}  // namespace sightglass::test
