#include "sharing.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sightglass {

namespace {

// Tells files apart without reading them.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

struct ModelEntry {
  FileIdentity file;
  ModelOptions options;
  std::weak_ptr<SharedModel> model;
};

struct GroupEntry {
  std::vector<GstGLContext*> contexts;  // those alive, compared and never owned
  std::weak_ptr<ShareGroup> group;
};

struct Registry {
  std::mutex mutex;
  std::vector<ModelEntry> models;
  std::vector<GroupEntry> groups;
};

// Never destroyed: contexts may end after everything static has.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

void forget_context(gpointer, GObject* context) {
  const std::lock_guard lock(registry().mutex);
  for (GroupEntry& entry : registry().groups) std::erase(entry.contexts, reinterpret_cast<GstGLContext*>(context));
}

}  // namespace

Result<std::shared_ptr<SharedModel>> SharedModel::load(const std::string& path, const ModelOptions& options) {
  const std::optional<FileIdentity> file = identity_of(path);
  // Whoever comes second waits, and finds what the first one has loaded.
  const std::lock_guard lock(registry().mutex);
  std::vector<ModelEntry>& models = registry().models;
  std::erase_if(models, [](const ModelEntry& entry) { return entry.model.expired(); });
  if (file) {
    for (const ModelEntry& entry : models) {
      if (!(entry.file == *file && entry.options == options)) continue;
      if (std::shared_ptr<SharedModel> model = entry.model.lock()) return model;
    }
  }
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Model> loaded, Model::load(path, options));
  auto model = std::make_shared<SharedModel>(std::move(loaded), recognise_model(path));
  if (file) models.push_back({*file, options, model});
  return model;
}

Result<std::shared_ptr<const Plan>> SharedModel::plan(const DeviceLimits& limits, PlanOptions options) {
  if (options.tuning && options.tuning->empty()) options.tuning.reset();
  const std::lock_guard lock(mutex_);
  std::erase_if(plans_, [](const Planned& planned) { return planned.plan.expired(); });
  for (const Planned& planned : plans_) {
    const std::shared_ptr<const Tuning>& tuning = planned.options.tuning;
    if (tuning && options.tuning && *tuning == *options.tuning) options.tuning = tuning;
    if (!(planned.limits == limits && planned.options == options)) continue;
    if (std::shared_ptr<const Plan> plan = planned.plan.lock()) return plan;
  }
  SG_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::build(model_, limits, options));
  plans_.push_back({limits, std::move(options), plan});
  return plan;
}

std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder) {
  const std::lock_guard lock(registry().mutex);
  std::vector<GroupEntry>& groups = registry().groups;
  std::erase_if(groups, [](const GroupEntry& entry) { return entry.group.expired(); });
  for (GroupEntry& entry : groups) {
    const bool known = std::ranges::find(entry.contexts, context) != entry.contexts.end();
    const bool shares = known || std::ranges::any_of(entry.contexts, [&](GstGLContext* other) {
                          return gst_gl_context_can_share(context, other) != FALSE;
                        });
    std::shared_ptr<ShareGroup> group = shares ? entry.group.lock() : nullptr;
    if (group == nullptr) continue;
    if (!known) {
      entry.contexts.push_back(context);
      g_object_weak_ref(G_OBJECT(context), forget_context, nullptr);
    }
    return group;
  }
  auto cache = cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(cache_folder + "/programs");
  std::shared_ptr<ShareGroup> group = ShareGroup::create(gl, std::move(cache));
  groups.push_back({{context}, group});
  g_object_weak_ref(G_OBJECT(context), forget_context, nullptr);
  return group;
}

}  // namespace sightglass
