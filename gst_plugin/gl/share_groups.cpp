#include "gl/share_groups.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "gl/shaders.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "sightglass/cache_folder.h"

#define GST_CAT_DEFAULT sightglass::gl_log()

namespace sightglass {

namespace {

struct GroupEntry {
  std::vector<GstGLContext*> contexts;  // living ones; for comparison, not owned
  std::weak_ptr<ShareGroup> group;
};

struct KnownGroups {
  std::mutex mutex;
  std::vector<GroupEntry> groups;
};

// Never destroyed: contexts may outlive static objects.
KnownGroups& known_groups() {
  static KnownGroups& instance = *new KnownGroups;
  return instance;
}

void forget_context(gpointer, GObject* context) {
  const std::lock_guard lock(known_groups().mutex);
  for (GroupEntry& entry : known_groups().groups) std::erase(entry.contexts, reinterpret_cast<GstGLContext*>(context));
}

}  // namespace

std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder) {
  const std::lock_guard lock(known_groups().mutex);
  std::vector<GroupEntry>& groups = known_groups().groups;
  std::erase_if(groups, [](const GroupEntry& entry) { return entry.group.expired(); });
  for (GroupEntry& entry : groups) {
    const bool known = std::ranges::find(entry.contexts, context) != entry.contexts.end();
    const bool shares = known || std::ranges::any_of(entry.contexts, [&](GstGLContext* other) {
                          return gst_gl_context_can_share(context, other) != FALSE;
                        });
    std::shared_ptr<ShareGroup> group = shares ? entry.group.lock() : nullptr;
    if (group == nullptr) continue;
    GST_DEBUG_OBJECT(log_object(), "%" GST_PTR_FORMAT " joins an existing share group: sharing programs", context);
    if (!known) {
      entry.contexts.push_back(context);
      g_object_weak_ref(G_OBJECT(context), guarded<forget_context>, nullptr);
    }
    return group;
  }
  GST_DEBUG_OBJECT(log_object(), "%" GST_PTR_FORMAT " is the first of its share group", context);
  auto cache = cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(program_folder(cache_folder));
  std::shared_ptr<ShareGroup> group = ShareGroup::create(gl, std::move(cache), element_shaders(), engine_log());
  if (group == nullptr) throw std::bad_alloc();
  groups.push_back({{context}, group});
  g_object_weak_ref(G_OBJECT(context), guarded<forget_context>, nullptr);
  return group;
}

}  // namespace sightglass
