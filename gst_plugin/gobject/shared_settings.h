// Settings of an element, which any thread sets and reads.
#pragma once

#include <gst/gst.h>

#include <mutex>

#include "gobject/properties.h"
#include "gobject/property_rules.h"
#include "sightglass/status.h"

namespace sightglass {

template <typename Settings>
class SharedSettings {
 public:
  Settings snapshot() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  // Sets a property of `table` in an element in `state`, which may have started. Fails and changes nothing where the
  // value cannot take effect.
  Status set(const PropertyTable<Settings>& table, guint id, const GParamSpec& spec, const GValue* value, bool started,
             GstState state) {
    const std::lock_guard lock(mutex_);
    const auto current = [&](GValue* read) { return table.get(settings_, id, read); };
    SIGHTGLASS_RETURN_IF_ERROR(may_set(spec, current, value, started, state));
    return table.set(settings_, id, value);
  }

 private:
  mutable std::mutex mutex_;
  Settings settings_;
};

}  // namespace sightglass
