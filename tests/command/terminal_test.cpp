// Names in model files that contain terminal control sequences: no command prints them unchanged.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/command_case.h"
#include "metadata_builder.h"

namespace sightglass::test {
namespace {

// Changes the color, sets the window title, ends in C1, and reverses the text direction.
const std::string kHostile = "\x1b[31mname\x1b]0;title\x07\u009b32m\u202e\n";

std::string hostile_model(const std::string& path, bool runs) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 4}, schema::TensorType::FLOAT32, kHostile + "in");
  int made = m.add_op(schema::BuiltinOperator::RELU, {in}, {1, 4, 4, 4}, kHostile + "between");
  made = m.add_op(schema::BuiltinOperator::CONV_2D, {made, m.add_filled({4, 3, 3, 4}, 1, kHostile + "weights"), -1},
                  {1, 4, 4, 4}, conv_options(schema::Padding::SAME), kHostile + "conv");
  made = m.add_op(schema::BuiltinOperator::TANH, {made}, {1, 4, 4, 4}, kHostile + "out");
  if (!runs) made = m.add_custom_op("Custom" + kHostile, {made}, {1, 4, 4, 4}, {}, kHostile + "custom");
  m.add_output(made);
  schema::ModelDescriptionT description;
  description.name = description.author = description.license = kHostile;
  auto& subgraph = *description.subgraph_metadata.emplace_back(std::make_unique<schema::SubGraphDescriptionT>());
  auto& tensor = *subgraph.output_tensor_metadata.emplace_back(std::make_unique<schema::TensorDescriptionT>());
  tensor.name = kHostile;
  for (const char* name : {"labels.txt", "gone\x1b[31m.txt"}) {
    auto& described = *subgraph.output_tensor_metadata.emplace_back(std::make_unique<schema::TensorDescriptionT>());
    described.name = kHostile;
    auto& file = *described.associated_files.emplace_back(std::make_unique<schema::AssociatedFileT>());
    file.name = name;
    file.type = schema::AssociatedFileType::TENSOR_AXIS_LABELS;
  }
  add_metadata(m, packed(description));
  std::vector<std::byte> bytes = m.build();
  attach(bytes, {{"labels.txt", kHostile + "\n" + kHostile}});
  write_file(path, bytes);
  return path;
}

// No control characters except line ends, no C1, and no direction changes.
void expect_printable(const std::string& line, const std::string& output) {
  for (size_t i = 0; i < output.size(); ++i) {
    const auto byte = static_cast<unsigned char>(output[i]);
    const bool control = (byte < 0x20 && byte != '\n') || byte == 0x7f;
    const bool c1 = byte == 0xc2 && i + 1 < output.size() && static_cast<unsigned char>(output[i + 1]) < 0xa0;
    if (control || c1) {
      ADD_FAILURE() << line << " prints the control character " << int{byte} << " after: "
                    << nlohmann::json(output.substr(i < 60 ? 0 : i - 60, 60))
                           .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
      return;
    }
  }
  EXPECT_EQ(output.find("\u202e"), std::string::npos) << line << " changes the text direction";
}

TEST_F(CommandTest, NamesInModelsDoNotReachTheTerminal) {
  const std::string model = hostile_model(path("hostile.tflite"), true);
  const std::string refused = hostile_model(path("refused.tflite"), false);
  for (const char* const line :
       {"check %", "check --json %", "check --limits min %", "dump %", "dump --stage rewritten %",
        "dump --stage plan %", "dump --dot %", "run --runs 1 %", "run --runs 1 --json %", "run --runs 1 --profile %",
        "run --runs 1 --profile --json %", "run --runs 1 --fallback cpu %", "run --runs 1 --input none.raw %",
        "run --runs 1 --input-shape x=1x2 %"}) {
    for (const std::string& file : {model, refused}) {
      std::string arguments = line;
      arguments.replace(arguments.find('%'), 1, file);
      const CommandResult result = run_command(arguments);
      EXPECT_FALSE(result.output.empty()) << arguments;
      expect_printable(arguments, result.output);
    }
  }
}

TEST_F(CommandTest, JsonKeepsNamesUnchanged) {
  const std::string model = hostile_model(path("hostile.tflite"), true);
  const CommandResult result = run_command("check --json " + model, "2>/dev/null");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto json = nlohmann::json::parse(result.output);
  const auto& report = json.is_array() ? json.at(0) : json;
  EXPECT_EQ(report.at("inputs").at(0).at("name"), kHostile + "in");
  EXPECT_EQ(report.at("metadata").at("author"), kHostile);
}

}  // namespace
}  // namespace sightglass::test
