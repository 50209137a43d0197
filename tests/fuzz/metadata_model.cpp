#include <algorithm>
#include <array>
#include <limits>

#include "choices.h"
#include "generated_models.h"
#include "metadata_builder.h"

namespace sightglass::test {
namespace {

constexpr std::array kNumbers{
    0.0f, 1.0f, 127.5f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};

std::string file_name(Choices& choices) {
  return choices.one_in(6) ? choices.text(40) : "labels" + std::to_string(choices.below(4)) + ".txt";
}

void describe(Choices& choices, schema::TensorDescriptionT& tensor) {
  tensor.name = choices.text(20);
  tensor.description = choices.text(4);
  for (size_t i = choices.below(3); i > 0; --i) {
    auto& unit = *tensor.process_units.emplace_back(std::make_unique<schema::ProcessUnitT>());
    schema::NormalizationOptionsT options;
    options.mean.assign(choices.one_in(8) ? 2000 : choices.below(4), choices.pick(kNumbers));
    options.std.assign(choices.one_in(3) ? choices.below(4) : options.mean.size(), choices.pick(kNumbers));
    unit.options.Set(options);
  }
  for (size_t i = choices.below(4); i > 0; --i) {
    auto& file = *tensor.associated_files.emplace_back(std::make_unique<schema::AssociatedFileT>());
    file.name = file_name(choices);
    file.locale = choices.text(2);
    file.type = static_cast<schema::AssociatedFileType>(choices.below(8));
  }
}

// A few bytes that may be many lines.
std::string labels(Choices& choices) {
  if (!choices.one_in(4)) return choices.text(100);
  std::string line = choices.text(8) + "\n", text;
  for (size_t i = size_t{1} << choices.below(15); i > 0; --i) text += line;
  return text;
}

// What the exporter of Ultralytics attaches, and what resembles it. Bytes that are called compressed are read as such.
Attached notes(Choices& choices) {
  constexpr std::array kNames{"metadata.json", "metadata.yaml", "temp_meta.txt", "meta.txt"};
  constexpr std::array kParts{"{",       "}",        "[",        "]",     "(",        ")",     ":",         ",",
                              "'names'", "names:\n", "  0: a\n", "- b\n", "\"task\"", "imgsz", "kpt_shape", "\\u00e9",
                              "'",       "\"",       "\\",       "65535", "\n",       " ",     "stride",    "-1"};
  std::string text;
  for (size_t i = choices.below(60); i > 0; --i) text += choices.one_in(6) ? choices.text(8) : choices.pick(kParts);
  Attached member{choices.pick(kNames), text};
  if (choices.one_in(2)) member.method = 8;
  member.deflates = member.method == 8 && choices.one_in(2);
  return member;
}

}  // namespace

std::vector<std::byte> metadata_model(std::span<const uint8_t> bytes) {
  Choices choices(bytes);
  schema::ModelDescriptionT description;
  description.name = choices.text(10);
  description.license = choices.text(10);
  auto& subgraph = *description.subgraph_metadata.emplace_back(std::make_unique<schema::SubGraphDescriptionT>());
  for (auto* tensors : {&subgraph.input_tensor_metadata, &subgraph.output_tensor_metadata}) {
    const size_t count = choices.one_in(8) ? 300 : choices.below(4);
    for (size_t i = 0; i < count; ++i) {
      describe(choices, *tensors->emplace_back(std::make_unique<schema::TensorDescriptionT>()));
    }
  }
  std::vector<uint8_t> metadata = packed(description);
  for (size_t i = choices.below(4); i > 0 && !metadata.empty(); --i) {
    metadata[(choices.byte() * size_t{256} + choices.byte()) % metadata.size()] = choices.byte();
  }
  ModelBuilder m;
  m.add_output(m.add_op(schema::BuiltinOperator::RELU, {m.add_input({1, 4, 4, 3})}, {1, 4, 4, 3}));
  add_metadata(m, metadata);
  std::vector<std::byte> file = m.build();
  std::vector<Attached> members;
  for (size_t i = choices.below(5); i > 0; --i) {
    members.push_back({file_name(choices), labels(choices), static_cast<uint16_t>(choices.one_in(6) ? 8 : 0)});
  }
  if (choices.one_in(2)) members.push_back(notes(choices));
  const size_t archive = file.size();
  if (!members.empty()) attach(file, members, choices.one_in(2));
  // Sizes and offsets are in the directory at the end of the archive.
  for (size_t i = choices.below(6); i > 0 && file.size() > archive; --i) {
    const size_t reach = std::min<size_t>(file.size() - archive, 400);
    file[file.size() - 1 - (choices.byte() * size_t{256} + choices.byte()) % reach] = std::byte{choices.byte()};
  }
  return file;
}

}  // namespace sightglass::test
