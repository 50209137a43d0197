#include "serve/serve.h"

namespace sightglass::serve {

Status serve(const ServeJob&) {
  return unsupported("this program was built without an HTTP server; build it with libsoup-3.0-dev");
}

}  // namespace sightglass::serve
