// Stands for the header of libsoup-3.0-dev, which the command can be built without.
#pragma once
#error "included without libsoup-3.0-dev"
