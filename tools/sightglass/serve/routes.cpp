#include "serve/routes.h"

namespace sightglass::serve {

std::span<const Route> all_routes() {
  static constexpr Route kRoutes[] = {
      {"/", "GET", Action::kFile, Access::kToken, "index.html", "text/html; charset=utf-8"},
      {"/app.js", "GET", Action::kFile, Access::kToken, "app.js", "text/javascript; charset=utf-8"},
      {"/style.css", "GET", Action::kFile, Access::kToken, "style.css", "text/css; charset=utf-8"},
      {"/icon.svg", "GET", Action::kFile, Access::kToken, "icon.svg", "image/svg+xml"},
      {"/api/openapi.json", "GET", Action::kFile, Access::kToken, "openapi.json", "application/json"},
      {"/api/properties", "GET", Action::kGetProperties},
      {"/api/properties", "PUT", Action::kPutProperties},
      {"/api/stats", "GET", Action::kStats},
      {"/api/results", "GET", Action::kResults},
      {"/api/picture.mjpeg", "GET", Action::kPicture},
      {"/api/still.png", "GET", Action::kStill},
      {"/api/offer", "POST", Action::kOffer},
      {"/healthz", "GET", Action::kHealth, Access::kAnyone},
      {"/metrics", "GET", Action::kMetrics},
  };
  return kRoutes;
}

const Route* find_route(std::string_view path, std::string_view method, bool& path_known) {
  path_known = false;
  for (const Route& route : all_routes()) {
    if (route.path != path) continue;
    path_known = true;
    if (route.method == method || (method == "HEAD" && route.method == "GET" && !is_stream(route.action)))
      return &route;
  }
  return nullptr;
}

}  // namespace sightglass::serve
