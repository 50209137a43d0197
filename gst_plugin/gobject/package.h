// Who made the elements, as gst-inspect-1.0 shows it.
#pragma once

#define SIGHTGLASS_AUTHOR "Sightglass contributors <maintainers@users.noreply.a-seed-6215e2ef.example>"
