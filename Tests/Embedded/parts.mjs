// Prints the ten largest functions of a WebAssembly module that still has its names:
//
//     node parts.mjs core.wasm | swift demangle --simplified

import { readFileSync } from "node:fs";

const bytes = readFileSync(process.argv[2]);
let position = 8; // behind the magic number and the version

/** Reads an unsigned number in LEB128. */
function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[position++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

/** Reads a name behind its length. */
function name() {
  const length = number();
  position += length;
  return bytes.toString("utf8", position - length, position);
}

const sizes = [];
const names = new Map();
let imported = 0;
while (position < bytes.length) {
  const section = bytes[position++];
  const length = number();
  const end = position + length;
  if (section === 2) {
    // Imports: the functions among them come first in the numbering.
    for (let count = number(); count > 0; count--) {
      name();
      name();
      if (bytes[position++] !== 0) break; // the modules here import functions only
      number();
      imported++;
    }
  } else if (section === 10) {
    for (let count = number(); count > 0; count--) {
      const size = number();
      sizes.push(size);
      position += size;
    }
  } else if (section === 0 && name() === "name") {
    while (position < end) {
      const kind = bytes[position++];
      const next = number() + position;
      if (kind === 1) {
        for (let count = number(); count > 0; count--) names.set(number(), name());
      }
      position = next;
    }
  }
  position = end;
}

const parts = sizes.map((size, index) => [size, names.get(index + imported) ?? "unnamed"]);
console.log(`code: ${sizes.reduce((sum, size) => sum + size, 0)} bytes in ${sizes.length} functions; the largest:`);
for (const [size, part] of parts.sort((a, b) => b[0] - a[0]).slice(0, 10)) {
  console.log(`${String(size).padStart(8)} ${part}`);
}
