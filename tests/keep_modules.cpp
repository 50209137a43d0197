// Keeps unloaded modules in memory: part of programs that are built with sanitizers. LeakSanitizer then names the
// module of a leak, so that tests/lsan.supp can tell leaks of drivers and codecs from ours.
#include <dlfcn.h>

// Hides the function of the C library, for all modules.
extern "C" __attribute__((visibility("default"))) int dlclose(void*) noexcept { return 0; }
