// What a benchmark needs and Swift cannot say: how often memory was allocated, and a place beyond the
// optimiser's sight.

#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// How many allocations this thread has made so far; -1 where they cannot be counted (anywhere but glibc).
int64_t allocation_count(void);

/// Nanoseconds of the monotonic clock.
int64_t monotonic_nanoseconds(void);

/// Takes a value in such a way that computing it cannot be left out.
void black_hole(uint64_t value);

/// Returns the value, which the optimiser cannot know.
uint64_t opaque(uint64_t value);

#endif
