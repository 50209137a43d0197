#include "gobject/properties.h"

namespace sightglass {

namespace {

const void* field(const void* settings, const AnyProperty& property) {
  return static_cast<const std::byte*>(settings) + property.offset;
}
void* field(void* settings, const AnyProperty& property) { return static_cast<std::byte*>(settings) + property.offset; }

}  // namespace

void AnyPropertyTable::install(GObjectClass* object_class, const void* defaults) const {
  guint id = first_id_;
  for (GParamSpec* spec : specs(defaults)) g_object_class_install_property(object_class, id++, spec);
}

std::vector<GParamSpec*> AnyPropertyTable::specs(const void* defaults) const {
  std::vector<GParamSpec*> specs;
  specs.reserve(rows_.size());
  for (const AnyProperty& property : rows_) {
    specs.push_back(property.value->spec(property.head, field(defaults, property)));
  }
  return specs;
}

Status AnyPropertyTable::set(void* settings, guint id, const GValue* value) const {
  const AnyProperty* property = find(id);
  if (property == nullptr) return internal_error("no such property");
  return property->value->write(field(settings, *property), *value);
}

bool AnyPropertyTable::get(const void* settings, guint id, GValue* value) const {
  const AnyProperty* property = find(id);
  if (property != nullptr) property->value->read(field(settings, *property), value);
  return property != nullptr;
}

const AnyProperty* AnyPropertyTable::find(guint id) const {
  const size_t index = id - first_id_;  // of numbers before the first, beyond every table
  return index < rows_.size() ? &rows_[index] : nullptr;
}

}  // namespace sightglass
