// Kernels, by file. Add one here and in registry.cpp.
#pragma once

#include "kernel/kernel.h"

namespace sightglass {

Kernel conv2d_texture_kernel();                       // conv2d_texture.cpp
Kernel conv2d_winograd_kernel();                      // conv2d_winograd.cpp; preferred to the next
Kernel conv2d_kernel();                               // conv2d.cpp
Kernel conv2d_grouped_kernel();                       // conv2d_grouped.cpp
Kernel conv2d_computed_kernel();                      // conv2d_grouped.cpp; for computed weights
Kernel fully_connected_kernel();                      // conv2d.cpp
Kernel depthwise_kernel();                            // depthwise.cpp
Kernel depthwise_computed_kernel();                   // depthwise.cpp; for computed weights
Kernel depthwise_pointwise_kernel();                  // depthwise_pointwise.cpp
Kernel transpose_conv_kernel();                       // transpose_conv.cpp
Kernel top_k_kernel();                                // top_k.cpp
Kernel matmul_kernel();                               // matmul.cpp
Kernel fully_connected_computed_kernel();             // matmul.cpp; for computed weights
Kernel detection_kernel();                            // detection.cpp
Kernel posenet_decoder_kernel();                      // posenet.cpp
Kernel lstm_kernel();                                 // lstm.cpp
Kernel lstm_integers_kernel();                        // lstm_integers.cpp
std::vector<Kernel> elementwise_kernels();            // elementwise.cpp
std::vector<Kernel> elementwise_quantized_kernels();  // elementwise_quantized.cpp; preferred to elementwise_kernels()
std::vector<Kernel> lookup_kernels();                 // lookup.cpp; preferred to elementwise_kernels()
std::vector<Kernel> transform_kernels();              // transform.cpp
std::vector<Kernel> pool_kernels();                   // pool.cpp
Kernel mean_kernel();                                 // mean.cpp
std::vector<Kernel> softmax_kernels();                // softmax.cpp
std::vector<Kernel> reduce_kernels();                 // reduce.cpp; after mean_kernel()
Kernel concat_kernel();                               // concat.cpp
Kernel pack_kernel();                                 // concat.cpp
std::vector<Kernel> gather_kernels();                 // gather.cpp
std::vector<Kernel> movement_kernels();               // move.cpp; for all remaining nodes
Kernel pad_kernel();                                  // slice_pad.cpp
Kernel strided_slice_kernel();                        // slice_pad.cpp
Kernel reshape_kernel();                              // reshape.cpp
Kernel resize_bilinear_quantized_kernel();            // resize.cpp; preferred to the next
Kernel dynamic_quantize_kernel();                     // dynamic_quantize.cpp
Kernel select_kernel();                               // select.cpp
Kernel broadcast_kernel();                            // select.cpp
Kernel cast_kernel();                                 // cast.cpp
Kernel resize_bilinear_kernel();                      // resize.cpp
Kernel depth_to_space_kernel();                       // depth_to_space.cpp

}  // namespace sightglass
