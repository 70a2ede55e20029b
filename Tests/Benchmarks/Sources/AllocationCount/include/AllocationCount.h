// What a benchmark needs and Swift cannot say: how often memory was allocated, and a place beyond the
// optimiser's sight.

#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// How many allocations this thread has made so far; -1 where they cannot be counted (anywhere but glibc).
int64_t allocation_count(void);

/// Nanoseconds of the monotonic clock.
int64_t monotonic_nanoseconds(void);

/// Nanoseconds that the processor has worked for this process.
int64_t processor_nanoseconds(void);

/// The most memory that this process has had in use at once, in bytes, since it was reset.
int64_t peak_resident_bytes(void);

/// Forgets the peak, where that is possible (Linux); elsewhere it is that of the whole process.
void reset_peak_resident_bytes(void);

/// Takes a value in such a way that computing it cannot be left out.
void black_hole(uint64_t value);

/// Returns the value, which the optimiser cannot know.
uint64_t opaque(uint64_t value);

#endif
