// What the command prints for other programs: completion scripts and manual pages, in the programs that read them, and
// names in model files that contain terminal control sequences.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/command_case.h"
#include "metadata_builder.h"

namespace sightglass::test {
namespace {

bool has_program(const std::string& name) { return run_program("command -v " + name + " >/dev/null").status == 0; }

// The suggestions of bash for the last word.
std::string suggestions(const std::string& script, const std::string& words) {
  return run_program("bash -c 'source " + script + "; COMP_WORDS=(" + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sightglass; echo \"${COMPREPLY[@]}\"' 2>&1")
      .output;
}

TEST_F(CommandTest, BashCompletesCommandsOptionsWordsAndModels) {
  const CommandResult script = succeeded(run_command("completion bash", ""));
  const std::string file = write("completion.bash", script.output);
  EXPECT_EQ(suggestions(file, "sightglass seg"), "segment\n");
  EXPECT_EQ(suggestions(file, "sightglass segment --blur"), "--blur-strength --blur-radius\n");
  EXPECT_EQ(suggestions(file, "sightglass segment --background \"\""), "blur color image transparent mask overlay\n");
  EXPECT_EQ(suggestions(file, "sightglass pose --model blazepose-det"), "blazepose-detector\n");
  EXPECT_EQ(suggestions(file, "sightglass models fet"), "fetch\n");
  EXPECT_EQ(suggestions(file, "sightglass check /dev/nul"), "/dev/null\n");
}

TEST_F(CommandTest, ZshAndFishReadTheirScripts) {
  int checked = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    const CommandResult script = expect_output(run_command("completion " + shell, ""), 0, {"blur-radius"});
    if (!has_program(shell)) continue;
    succeeded(run_program(shell + " -n " + write("completion." + shell, script.output) + " 2>&1"));
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST_F(CommandTest, ManualPagesDescribeEveryOption) {
  ASSERT_EQ(run_command("manual --output " + path("")).status, 0);
  const CommandResult help = run_command("--help");
  int pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(path(""))) {
    if (file.path().extension() != ".1") continue;
    ++pages;
    const std::string name = file.path().stem().string();
    if (name == "sightglass") continue;
    EXPECT_NE(help.output.find("  " + name.substr(11)), std::string::npos) << name << " is no subcommand";
  }
  std::printf("%d pages\n", pages);
  EXPECT_GE(pages, 12);
  const CommandResult page = run_command("manual segment");
  expect_words(page.output, {".TH SIGHTGLASS\\-SEGMENT 1", "\\fB\\-\\-blur\\-radius\\fR", "\\fBtransparent\\fR"});
  EXPECT_TRUE(std::all_of(page.output.begin(), page.output.end(), [](char c) { return (c & 0x80) == 0; }))
      << "formatters read ASCII";
  EXPECT_EQ(run_command("manual nothing").status, 2);
  if (!has_program("groff")) GTEST_SKIP() << "groff is not installed";
  const CommandResult formatted =
      run_program("groff -man -Tutf8 -ww " + path("sightglass-segment.1") + " 2>&1 >/dev/null");
  EXPECT_EQ(formatted.output, "");
}

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
  const CommandResult result = succeeded(run_command("check --json " + model, "2>/dev/null"));
  const auto json = nlohmann::json::parse(result.output);
  const auto& report = json.is_array() ? json.at(0) : json;
  EXPECT_EQ(report.at("inputs").at(0).at("name"), kHostile + "in");
  EXPECT_EQ(report.at("metadata").at("author"), kHostile);
}

}  // namespace
}  // namespace sightglass::test
