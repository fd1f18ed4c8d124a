// The client as the editor loads it: bundled with all it needs, but the editor itself.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");

test("the bundled client loads beside an editor", () => {
  const load = Module._load;
  const editor = new Proxy({}, { get: () => class {} }); // whatever is asked of it is a class
  Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));
  const client = require("../dist/client.js");
  Module._load = load;
  assert.deepStrictEqual(Object.keys(client).sort(), ["activate", "deactivate"]);
});
