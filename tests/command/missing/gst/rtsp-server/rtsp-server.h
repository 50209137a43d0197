// Stands for the header of libgstrtspserver-1.0-dev, which the command can be built without.
#pragma once
#error "included without libgstrtspserver-1.0-dev"
