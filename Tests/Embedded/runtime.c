// The few functions of a C library that Swift's embedded runtime asks for, on bare WebAssembly. Memory is
// handed out from the heap's end and given back to free lists of powers of two, which is all that a test of
// seconds needs. What crosses to the host is two imported functions: a character to print, and random bytes.

#include <stddef.h>
#include <stdint.h>

__attribute__((import_module("host"), import_name("put"))) void host_put(int character);
__attribute__((import_module("host"), import_name("random"))) uint32_t host_random(void);

extern unsigned char __heap_base;

enum { classes = 28, header = 16 };
static uintptr_t heap_end;
static void *free_lists[classes];

static int size_class(size_t size) {
  int index = 0;
  while (((size_t)16 << index) < size) index++;
  return index;
}

void *malloc(size_t size) {
  int index = size_class(size + header);
  if (index >= classes) return NULL;
  if (free_lists[index] != NULL) {
    void *block = free_lists[index];
    free_lists[index] = *(void **)block;
    return block;
  }
  size_t whole = (size_t)16 << index;
  if (heap_end == 0) heap_end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uintptr_t start = heap_end;
  size_t available = (size_t)__builtin_wasm_memory_size(0) * 65536;
  if (start + whole > available) {
    size_t pages = (start + whole - available + 65535) / 65536;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return NULL;
  }
  heap_end = start + whole;
  *(int *)start = index;
  return (void *)(start + header);
}

void free(void *block) {
  if (block == NULL) return;
  int index = *(int *)((uintptr_t)block - header);
  *(void **)block = free_lists[index];
  free_lists[index] = block;
}

// Every block is aligned to 16 bytes, the most that Swift's own types ask for.
int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment > 16) return 22;
  *result = malloc(size);
  return *result == NULL ? 12 : 0;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target < source) {
    for (size_t i = 0; i < count; i++) target[i] = source[i];
  } else {
    for (size_t i = count; i > 0; i--) target[i - 1] = source[i - 1];
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

void *memset(void *to, int value, size_t count) {
  unsigned char *target = to;
  for (size_t i = 0; i < count; i++) target[i] = (unsigned char)value;
  return to;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < count; i++) {
    if (a[i] != b[i]) return a[i] - b[i];
  }
  return 0;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

int putchar(int character) {
  host_put(character);
  return character;
}

void arc4random_buf(void *buffer, size_t count) {
  unsigned char *target = buffer;
  for (size_t i = 0; i < count; i++) target[i] = (unsigned char)host_random();
}

// The 128-bit product that the compiler asks for when 64-bit numbers are multiplied in full width.
__int128 __multi3(__int128 left, __int128 right) {
  uint64_t a = (uint64_t)left, b = (uint64_t)right;
  uint64_t a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
  uint64_t low = a_low * b_low;
  uint64_t middle = a_high * b_low + (low >> 32);
  uint64_t carried = a_low * b_high + (middle & 0xffffffff);
  uint64_t high = a_high * b_high + (middle >> 32) + (carried >> 32);
  high += (uint64_t)((unsigned __int128)left >> 64) * b + a * (uint64_t)((unsigned __int128)right >> 64);
  return (__int128)(((unsigned __int128)high << 64) | (carried << 32) | (low & 0xffffffff));
}
