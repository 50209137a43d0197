// Kernels, by file. Add one here and in registry.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

Kernel conv2d_texture_kernel();                       // conv2d.cpp
Kernel conv2d_winograd_kernel();                      // conv2d_winograd.cpp; preferred to the next
Kernel conv2d_kernel();                               // conv2d.cpp
Kernel conv2d_grouped_kernel();                       // conv2d.cpp
Kernel conv2d_computed_kernel();                      // conv2d.cpp; for computed weights
Kernel matmul_integers_kernel();                      // matmul.cpp; preferred to the next
Kernel fully_connected_kernel();                      // conv2d.cpp
Kernel depthwise_kernel();                            // depthwise.cpp
Kernel depthwise_computed_kernel();                   // depthwise.cpp; for computed weights
Kernel depthwise_pointwise_kernel();                  // depthwise.cpp
Kernel transpose_conv_kernel();                       // transpose_conv.cpp
Kernel top_k_kernel();                                // reduce.cpp
Kernel matmul_kernel();                               // matmul.cpp
Kernel fully_connected_computed_kernel();             // matmul.cpp; for computed weights
Kernel detection_kernel();                            // custom_ops.cpp
Kernel posenet_decoder_kernel();                      // custom_ops.cpp
Kernel lstm_kernel();                                 // lstm.cpp
Kernel lstm_integers_kernel();                        // lstm.cpp
std::vector<Kernel> elementwise_kernels();            // elementwise.cpp
std::vector<Kernel> elementwise_quantized_kernels();  // elementwise_quantized.cpp; preferred to elementwise_kernels()
std::vector<Kernel> lookup_kernels();                 // cast.cpp; preferred to elementwise_kernels()
std::vector<Kernel> transform_kernels();              // custom_ops.cpp
std::vector<Kernel> pool_kernels();                   // pool.cpp
Kernel mean_kernel();                                 // reduce.cpp
std::vector<Kernel> softmax_kernels();                // reduce.cpp
std::vector<Kernel> reduce_kernels();                 // reduce.cpp; after mean_kernel()
Kernel concat_kernel();                               // concat.cpp
Kernel pack_kernel();                                 // concat.cpp
std::vector<Kernel> gather_kernels();                 // movement.cpp
std::vector<Kernel> movement_kernels();               // movement.cpp; for all remaining nodes
Kernel pad_kernel();                                  // movement.cpp
Kernel strided_slice_kernel();                        // movement.cpp
Kernel reshape_kernel();                              // movement.cpp
Kernel resize_bilinear_quantized_kernel();            // resize.cpp; preferred to resize_bilinear_kernel()
Kernel resize_bilinear_bytes_kernel();                // resize.cpp; likewise
Kernel dynamic_quantize_kernel();                     // cast.cpp
Kernel select_kernel();                               // elementwise.cpp
Kernel broadcast_kernel();                            // elementwise.cpp
Kernel cast_kernel();                                 // cast.cpp
Kernel resize_bilinear_kernel();                      // resize.cpp
Kernel depth_to_space_kernel();                       // movement.cpp

// The list of kernels, and the choice for a node.

// In order of preference: the first kernel for the operator that supports a node is used.
std::span<const Kernel> all_kernels();

// Fails with the reasons of all candidates. `declined`, if given, receives the reasons of the candidates preferred to
// the chosen kernel.
Result<const Kernel*> find_kernel(const PlanContext& context, const Node& node, std::string* declined = nullptr);

// Every program that a plan may need, including texture loads and stores and device measurements, without combinations
// with functions of results; no duplicates.
std::vector<ShaderKey> all_shader_variants();

}  // namespace sightglass
