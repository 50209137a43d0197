#include <sightglass/sightglass.h>
#include <stdio.h>
#include <string.h>

/* Links the shared library, and fails correctly on a model that does not exist. */
int main(void) {
  SightglassModel* model = NULL;
  const SightglassStatus status = sightglass_model_load_file("none.tflite", NULL, &model);
  printf("version: %u\nmodel: %s\n", sightglass_version(), sightglass_last_error());
  return status == SIGHTGLASS_NOT_FOUND && strstr(sightglass_last_error(), "none.tflite") != NULL ? 0 : 1;
}
