// Starts ptx-lsp for documents in PTX, and shows the LLVM IR of one on request.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

/** The settings that the server reads, as `workspace/didChangeConfiguration` also sends them. */
function settings() {
  const own = vscode.workspace.getConfiguration('ptx');
  return {
    inlayHints: { minimumVersion: own.get('inlayHints.minimumVersion') },
    ptx2ll: own.get('ptx2ll'),
    ptx2llArguments: own.get('ptx2llArguments'),
  };
}

async function start() {
  const command = vscode.workspace.getConfiguration('ptx').get('server.path');
  client = new LanguageClient(
    'ptx',
    'PTX',
    { command, transport: TransportKind.stdio },
    {
      documentSelector: [{ language: 'ptx' }],
      initializationOptions: settings(),
      synchronize: { configurationSection: 'ptx' },
    },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`Cannot start ${command}: ${error.message}. The setting ptx.server.path names it.`);
  }
}

async function showLlvmIr() {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor || editor.document.languageId !== 'ptx') {
    return;
  }
  try {
    const content = await client.sendRequest('workspace/executeCommand', {
      command: 'ptx.llvmIr',
      arguments: [client.code2ProtocolConverter.asUri(editor.document.uri)],
    });
    const document = await vscode.workspace.openTextDocument({ language: 'llvm', content });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('ptx.showLlvmIr', showLlvmIr),
    vscode.commands.registerCommand('ptx.restartServer', async () => {
      await deactivate();
      await start();
    }),
  );
  await start();
}

async function deactivate() {
  const stopped = client;
  client = undefined;
  if (stopped && stopped.needsStop()) {
    await stopped.stop();
  }
}

module.exports = { activate, deactivate };
