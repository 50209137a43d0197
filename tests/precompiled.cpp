// Nothing of its own: a target for precompiled headers to belong to.
