// Decides which formats of a camera arrive in GL textures without a copy.
#pragma once

#include <optional>
#include <string>

#include "doctor/doctor_report.h"
#include "video/cameras.h"

namespace sightglass::doctor {

// `dmabuf`: whether the camera exports DMABUFs; unset: unknown. `driver`: its kernel driver; empty: unknown.
CameraFormatStatus arrival_of(const video::CameraFormat& format, std::optional<bool> dmabuf, const std::string& driver,
                              const DmabufSection& importer);

}  // namespace sightglass::doctor
