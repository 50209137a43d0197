// Table of the GL entry points that the engine calls. The engine links no GL library: the owner of the context fills
// the table. A test may wrap or replace any entry.
#pragma once

#include <GLES3/gl32.h>
// Must follow the version header: it defines only extension types.
#include <GLES2/gl2ext.h>

#include <functional>

#include "sightglass/status.h"

// clang-format off
#define SIGHTGLASS_GL_FUNCTIONS(X)                                                                                   \
  X(ActiveTexture) X(AttachShader) X(BindBuffer) X(BindBufferBase) X(BindBufferRange) X(BindFramebuffer)             \
  X(BindImageTexture) X(BindRenderbuffer) X(BindSampler) X(BindTexture) X(BindVertexArray) X(BindVertexBuffer)       \
  X(BlendEquationSeparate) X(BlendFuncSeparate) X(BlitFramebuffer) X(BufferData) X(BufferSubData)                    \
  X(CheckFramebufferStatus) X(ClearBufferfv) X(ClientWaitSync) X(ColorMask) X(CompileShader) X(CopyBufferSubData)    \
  X(CreateProgram) X(CreateShader) X(DeleteBuffers) X(DeleteFramebuffers) X(DeleteProgram) X(DeleteRenderbuffers)    \
  X(DeleteSamplers) X(DeleteShader) X(DeleteSync) X(DeleteTextures) X(DeleteVertexArrays) X(DepthFunc) X(DepthMask)  \
  X(DetachShader) X(Disable) X(DispatchCompute) X(DispatchComputeIndirect) X(DrawArrays) X(DrawArraysInstanced)      \
  X(DrawBuffers) X(DrawElementsInstanced) X(Enable) X(EnableVertexAttribArray) X(FenceSync) X(Finish) X(Flush)       \
  X(FramebufferRenderbuffer) X(FramebufferTexture2D) X(GenBuffers) X(GenFramebuffers) X(GenRenderbuffers)            \
  X(GenSamplers) X(GenTextures) X(GenVertexArrays) X(GenerateMipmap) X(GetError) X(GetInteger64v) X(GetIntegeri_v)   \
  X(GetIntegerv) X(GetProgramBinary) X(GetProgramInfoLog) X(GetProgramiv) X(GetShaderInfoLog) X(GetShaderiv)         \
  X(GetString) X(GetStringi) X(GetUniformLocation) X(InvalidateFramebuffer) X(IsEnabled) X(LinkProgram)              \
  X(MapBufferRange) X(MemoryBarrier) X(ProgramBinary) X(ProgramParameteri) X(ReadPixels)                             \
  X(RenderbufferStorageMultisample) X(SamplerParameteri) X(ShaderSource) X(TexStorage2D) X(TexSubImage2D)            \
  X(Uniform1f) X(Uniform1i) X(Uniform4f) X(Uniform4fv) X(UnmapBuffer) X(UseProgram) X(VertexAttribBinding)           \
  X(VertexAttribFormat) X(VertexAttribIFormat) X(VertexBindingDivisor) X(Viewport)

// From later versions and extensions: null if the library does not export the name, with or without an extension
// suffix. A non-null entry does not mean that the context supports it; see DeviceLimits.
#define SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(X)                                                                          \
  X(TexBuffer, PFNGLTEXBUFFERPROC)                                                                                   \
  X(GenQueries, PFNGLGENQUERIESPROC) X(DeleteQueries, PFNGLDELETEQUERIESPROC)                                        \
  X(GetQueryObjectuiv, PFNGLGETQUERYOBJECTUIVPROC)                                                                   \
  X(QueryCounter, PFNGLQUERYCOUNTEREXTPROC) X(GetQueryObjectui64v, PFNGLGETQUERYOBJECTUI64VEXTPROC)                  \
  X(MaxShaderCompilerThreads, PFNGLMAXSHADERCOMPILERTHREADSKHRPROC)
// clang-format on

namespace sightglass {

struct GlApi {
#define SIGHTGLASS_GL_MEMBER(name) decltype(&::gl##name) name = nullptr;
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_GL_MEMBER)
#undef SIGHTGLASS_GL_MEMBER
#define SIGHTGLASS_GL_MEMBER(name, type) type name = nullptr;
  SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_GL_MEMBER)
#undef SIGHTGLASS_GL_MEMBER

  using GetProcAddress = std::function<void*(const char* name)>;
  // Resolves every entry ("glDispatchCompute", …). The error names all missing entries.
  static Result<GlApi> load(const GetProcAddress& get_proc_address);
};

}  // namespace sightglass
