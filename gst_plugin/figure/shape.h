// Flesh, clothes and hair on a skeleton.
#pragma once

#include "figure/appearance.h"
#include "figure/lofts.h"
#include "figure/skeleton.h"

namespace sightglass::figure {

void add_body(Lofts& lofts, const Body& body, const Skeleton& bones, const Pose& pose, const Appearance& appearance);
void add_head(Lofts& lofts, const Body& body, const Skeleton& bones, const Appearance& appearance, double seconds);

}  // namespace sightglass::figure
