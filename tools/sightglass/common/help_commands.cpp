#include <algorithm>
#include <memory>

#include "common/command_help.h"
#include "gpu_engine/output_file.h"
#include "known_models.h"

namespace sightglass {

namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (model.published.name != nullptr) names.emplace_back(model.published.name);
  }
  return names;
}

Status prepare(const std::vector<Subcommand>& subcommands) {
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.prepare) SIGHTGLASS_RETURN_IF_ERROR(subcommand.prepare());
  }
  return {};
}

struct ManualArguments {
  std::string name, folder;
};

Status write_pages(const CLI::App& app, const std::vector<Subcommand>& subcommands, const std::string& version,
                   const std::string& folder) {
  SIGHTGLASS_RETURN_IF_ERROR(write_output_file(folder + "/sightglass.1", manual_page(app, nullptr, version)));
  for (const Subcommand& subcommand : subcommands) {
    SIGHTGLASS_RETURN_IF_ERROR(write_output_file(folder + "/sightglass-" + subcommand.app->get_name() + ".1",
                                                 manual_page(app, subcommand.app, version)));
  }
  return {};
}

}  // namespace

void add_help_commands(CLI::App& app, std::vector<Subcommand>& subcommands, const std::string& version) {
  CLI::App* const completion =
      app.add_subcommand("completion", "Print a completion script: `source <(sightglass completion bash)`");
  const auto shell = std::make_shared<Shell>(Shell::kBash);
  add_choice<Shell>(*completion, "SHELL", *shell,
                    {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}, "The shell");
  subcommands.push_back({completion, [&app, &subcommands, shell] {
                           if (const Status status = prepare(subcommands); !status.ok()) return fail(status);
                           std::fputs(completion_script(app, *shell, model_names()).c_str(), stdout);
                           return kSucceeded;
                         }});
  CLI::App* const manual = app.add_subcommand("manual", "Print the manual page of the command, or of a subcommand");
  const auto arguments = std::make_shared<ManualArguments>();
  CLI::Option* const name = manual->add_option("COMMAND", arguments->name, "A subcommand");
  manual->add_option("--output", arguments->folder, "Write all pages to this directory: sightglass.1, sightglass-run.1")
      ->excludes(name);
  subcommands.push_back({manual, [&app, &subcommands, arguments, version] {
                           if (const Status status = prepare(subcommands); !status.ok()) return fail(status);
                           if (!arguments->folder.empty()) {
                             const Status written = write_pages(app, subcommands, version, arguments->folder);
                             return written.ok() ? kSucceeded : fail(written);
                           }
                           const CLI::App* chosen = nullptr;
                           for (const Subcommand& subcommand : subcommands) {
                             if (subcommand.app->get_name() == arguments->name) chosen = subcommand.app;
                           }
                           if (!arguments->name.empty() && chosen == nullptr) {
                             fail(invalid_argument(arguments->name + ": there is no such subcommand"));
                             return kUsage;
                           }
                           std::fputs(manual_page(app, chosen, version).c_str(), stdout);
                           return kSucceeded;
                         }});
}

}  // namespace sightglass
