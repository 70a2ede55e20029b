// Counts by standing in front of the allocator: the dynamic linker resolves `malloc` and its relatives to the
// program's own definitions, for the Swift runtime too; they count and pass on to glibc's. `free` is left
// alone. Elsewhere than on glibc nothing is counted.

#include "AllocationCount.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__GLIBC__)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local int64_t allocations = 0;

void *malloc(size_t size) {
    allocations += 1;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations += 1;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    allocations += 1;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    allocations += 1;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

int64_t allocation_count(void) { return allocations; }

#else

int64_t allocation_count(void) { return -1; }

#endif

int64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void black_hole(uint64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

uint64_t opaque(uint64_t value) {
    __asm__ volatile("" : "+r"(value) : : "memory");
    return value;
}

int64_t processor_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#if defined(__linux__)

void reset_peak_resident_bytes(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return;
    fputs("5", file);
    fclose(file);
}

int64_t peak_resident_bytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return 0;
    char line[256];
    long kilobytes = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1) break;
    }
    fclose(file);
    return (int64_t)kilobytes * 1024;
}

#else

void reset_peak_resident_bytes(void) {}

int64_t peak_resident_bytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss;
}

#endif
