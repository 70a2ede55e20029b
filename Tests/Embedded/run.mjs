// Runs the smoke test and compares what it prints with what it should.

import { readFileSync } from "node:fs";

const [, , wasm, expectation] = process.argv;
let printed = "";
const host = {
  put: (character) => { printed += String.fromCharCode(character & 0xff); },
  // Swift seeds its hasher with these; nothing that can be seen may depend on them.
  random: () => Math.floor(Math.random() * 2 ** 32),
};
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), { host });
instance.exports.__main_argc_argv(0, 0);
const text = Buffer.from(printed, "latin1").toString("utf8");
process.stdout.write(text);
if (text !== readFileSync(expectation, "utf8")) {
  console.error("The smoke test did not print what stands in " + expectation);
  process.exit(1);
}
