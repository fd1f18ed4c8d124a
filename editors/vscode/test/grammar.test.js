// The grammar on programs, as VS Code colours them, without a display.
// TIDELOG_TOKENS names a file: for every program its text, and the tokens of Tidelog's own reader with their kinds.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const KINDS = {
  name: /^(variable|entity|support|storage|keyword|constant\.language)/,
  number: /^constant\.numeric/,
  string: /^(string|constant\.character)/,
  directive: /^keyword\.other\.directive/,
  preprocess: /preprocessor|keyword\.control/,
};
const SIGN = /^(keyword\.operator|punctuation)/;

async function loadGrammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const file = path.join(__dirname, "..", "syntaxes", "tidelog.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar("source.tidelog");
}

// For every character its innermost scope; "" where only the whole file's scope holds.
function scopes(grammar, text) {
  const found = [];
  let stack = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes: all } of tokens) {
      for (let at = startIndex; at < Math.min(endIndex, line.length); at++) {
        found.push(all.length > 1 ? all[all.length - 1] : "");
      }
    }
    found.push("");
  }
  return found;
}

function wrong(coloured, program) {
  const found = [];
  let seen = 0;
  for (const { kind, start, end } of program.tokens) {
    for (let at = seen; at < start; at++) {
      const blank = /\s/.test(program.text[at]);
      if (!blank && !coloured[at].startsWith("comment")) found.push([at, "between", coloured[at]]);
    }
    const expected = KINDS[kind] ?? SIGN;
    for (let at = start; at < end; at++) {
      if (!/\s/.test(program.text[at]) && !expected.test(coloured[at])) found.push([at, kind, coloured[at]]);
    }
    seen = end;
  }
  return found.map(([at, kind, scope]) => `${program.text.slice(at, at + 20)} (${kind}): ${scope}`);
}

test("tokens of programs have the scopes of their kinds", async () => {
  const grammar = await loadGrammar();
  const programs = JSON.parse(fs.readFileSync(process.env.TIDELOG_TOKENS, "utf8"));
  assert.ok(programs.length > 0);
  for (const program of programs) {
    assert.deepStrictEqual(wrong(scopes(grammar, program.text), program).slice(0, 3), [], program.name);
  }
});
