// Preloaded into tests on virgl: connects the Mesa client to the server at $VTEST_SOCKET_NAME. Newer Mesa versions
// support that variable. Mesa 22.3 has one fixed path, so a test could connect to the server of another test.
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>

extern "C" [[gnu::visibility("default")]] int connect(int socket, const sockaddr* address, socklen_t length) {
  using Connect = int (*)(int, const sockaddr*, socklen_t);
  static const auto next = reinterpret_cast<Connect>(dlsym(RTLD_NEXT, "connect"));
  constexpr const char* kPathForAll = "/tmp/.virgl_test";
  const char* path = std::getenv("VTEST_SOCKET_NAME");
  sockaddr_un server{};
  if (path == nullptr || address->sa_family != AF_UNIX || std::strlen(path) >= sizeof(server.sun_path) ||
      std::strcmp(reinterpret_cast<const sockaddr_un*>(address)->sun_path, kPathForAll) != 0) {
    return next(socket, address, length);
  }
  server.sun_family = AF_UNIX;
  std::strcpy(server.sun_path, path);
  return next(socket, reinterpret_cast<const sockaddr*>(&server), sizeof(server));
}
