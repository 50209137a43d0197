/* Compiled into vkms for the tests' virtual machine (kernel.sh says where it is called). */
#include <drm/drm_drv.h>
#include <drm/drm_encoder.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

/*
 * The kernel does not map buffers of other drivers through DRM_IOCTL_MODE_MAP_DUMB. Mesa's software renderer on KMS
 * knows no other way to the pixels of a camera's buffer, and crashes where it is refused.
 */
static int __maybe_unused map_any_buffer(struct drm_file* file, struct drm_device* dev, u32 handle, u64* offset) {
  struct drm_gem_object* buffer = drm_gem_object_lookup(file, handle);
  int error = buffer ? drm_gem_create_mmap_offset(buffer) : -ENOENT;

  if (!error) *offset = drm_vma_node_offset_addr(&buffer->vma_node);
  if (buffer) drm_gem_object_put(buffer);
  return error;
}

/* The kernel refuses to show and to write back at once unless the encoders say that they can. */
static void __maybe_unused let_encoders_work_together(struct drm_device* dev) {
  struct drm_encoder* encoder;
  u32 all = 0;

  drm_for_each_encoder(encoder, dev) all |= drm_encoder_mask(encoder);
  drm_for_each_encoder(encoder, dev) encoder->possible_clones = all;
}
