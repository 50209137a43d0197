#include "gobject/properties.h"

namespace sightglass {

std::string property_text(const GParamSpec& spec, const GValue& value) {
  gchar* const text = gst_value_serialize(&value);
  const std::string result = std::string(spec.name) + "=" + (text != nullptr ? text : "NULL");
  g_free(text);
  return result;
}

Status may_set(const GParamSpec& spec, const std::function<bool(GValue*)>& get, const GValue* value, bool started,
               GstState state) {
  if (!started || (spec.flags & GST_PARAM_MUTABLE_PLAYING) != 0) return {};
  GValue current = G_VALUE_INIT;
  g_value_init(&current, G_PARAM_SPEC_VALUE_TYPE(&spec));
  Status status;
  if (get(&current) && g_param_values_cmp(const_cast<GParamSpec*>(&spec), &current, value) != 0) {
    status = invalid_argument(property_text(spec, *value) + ": cannot change in the state " +
                              gst_element_state_get_name(state) + ": the element reads it when it starts, and " +
                              property_text(spec, current) + " stays in effect; set it in NULL or READY");
  }
  g_value_unset(&current);
  return status;
}

void post_warning(gpointer element, const Status& status) {
  const char* text = status.message().c_str();
  if (status.code() == ErrorCode::kNotFound) {
    GST_ELEMENT_WARNING(element, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
  } else {
    GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

void post_error(gpointer element, const Status& status) {
  const char* text = status.message().c_str();
  switch (status.code()) {
    case ErrorCode::kNotFound:
      GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("%s", text), (nullptr));
      return;
    case ErrorCode::kInvalidModel:
      GST_ELEMENT_ERROR(element, RESOURCE, READ, ("%s", text), (nullptr));
      return;
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kOutOfMemory:
      GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (nullptr));
      return;
    case ErrorCode::kDeviceError:
    case ErrorCode::kInternal:
    case ErrorCode::kTimedOut:
      GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("%s", text), (nullptr));
      return;
    default:
      GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", text), (nullptr));
  }
}

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
