#include "error.h"
#include "handles.h"
#include "options.h"
#include "sightglass/cache_folder.h"
#include "sightglass/program_cache.h"

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

SightglassStatus sightglass_device_create(SightglassGetProcAddress get_proc_address, void* user_data,
                                          const SightglassDeviceOptions* options, SightglassDevice** device) {
  return capi::guard("the device", "be created", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(reinterpret_cast<const void*>(get_proc_address), "get_proc_address"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(device, "device"));
    SIGHTGLASS_ASSIGN_OR_RETURN(
        const SightglassDeviceOptions read,
        capi::read(options, SightglassDeviceOptions SIGHTGLASS_DEVICE_OPTIONS_INIT, "SightglassDeviceOptions"));
    const Log log = capi::make_log(read.log);
    SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, GlApi::load([=](const char* name) {
                                  return reinterpret_cast<void*>(get_proc_address(name, user_data));
                                }));
    auto result = std::make_unique<SightglassDevice>();
    SIGHTGLASS_ASSIGN_OR_RETURN(result->info, query_device(gl, log));
    result->name = device_name(result->info);
    std::shared_ptr<ProgramCache> cache;
    if (read.program_directory != nullptr) {
      SIGHTGLASS_RETURN_IF_ERROR(check_private_folder(read.program_directory));
      cache = std::make_shared<ProgramCache>(read.program_directory);
    }
    result->group = ShareGroup::create(gl, std::move(cache), {}, log);
    *device = result.release();
    return {};
  });
}

void sightglass_device_release(SightglassDevice* device) { delete device; }

const char* sightglass_device_name(const SightglassDevice* device) {
  const auto given = capi::guard("the device", "be named", [&] { return capi::require(device, "device"); });
  return given == SIGHTGLASS_OK ? device->name.c_str() : "";
}
