#include "metadata_builder.h"

namespace sightglass::test {

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
