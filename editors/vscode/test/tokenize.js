// Prints the scopes of each word of a text from standard input, as JSON: [line, text, innermost scope].
'use strict';

const fs = require('fs');
const path = require('path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

async function main() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const file = path.join(__dirname, '../syntaxes/ptx.tmLanguage.json');
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file),
  });
  const grammar = await registry.loadGrammar('source.ptx');
  let state = textmate.INITIAL;
  const found = [];
  fs.readFileSync(0, 'utf8').split('\n').forEach((line, number) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    for (const { startIndex, endIndex, scopes } of tokens) {
      const text = line.slice(startIndex, endIndex);
      if (text.trim()) {
        found.push([number, text, scopes[scopes.length - 1]]);
      }
    }
    state = ruleStack;
  });
  process.stdout.write(JSON.stringify(found));
}

main();
