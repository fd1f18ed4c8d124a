// The client: starts `tidelog lsp` with the first program that is opened, and ends it with the editor.
// Without the server, colours, brackets and snippets still work; what is missing is reported once.
"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function newClient() {
  const [command, ...args] = workspace.getConfiguration("tidelog").get("command");
  return new LanguageClient(
    "tidelog",
    "Tidelog",
    { command, args },
    {
      documentSelector: [{ language: "tidelog" }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.dl") },
    },
  );
}

async function start() {
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const words = workspace.getConfiguration("tidelog").get("command").join(" ");
    window.showWarningMessage(
      `\`${words}\` cannot be started (${error.message}): pip install 'tidelog[editor]', or set tidelog.command.`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(commands.registerCommand("tidelog.restart", restart));
  await start();
}

module.exports = { activate, deactivate: stop };
