// Starts `ez dap` for debug sessions, and says what F5 does with a file that has no launch.json.
"use strict";

const vscode = require("vscode");

function setting(name) {
  return vscode.workspace.getConfiguration("ez").get(name);
}

// The adapter of a session.
const adapters = {
  createDebugAdapterDescriptor() {
    return new vscode.DebugAdapterExecutable(setting("path") || "ez", ["dap"]);
  },
};

function debugFile(uri) {
  return { type: "ez", request: "launch", name: "Debug this EZ file", program: uri.fsPath };
}

const configurations = {
  provideDebugConfigurations() {
    return [{ type: "ez", request: "launch", name: "Debug this EZ file", program: "${file}" }];
  },
  resolveDebugConfiguration(folder, configuration) {
    const editor = vscode.window.activeTextEditor;
    if (!configuration.type && !configuration.request && !configuration.name) {
      // F5 without a launch.json.
      if (!editor || editor.document.languageId !== "ez") {
        return configuration;
      }
      Object.assign(configuration, debugFile(editor.document.uri));
    }
    if (configuration.request === "attach") {
      return configuration;
    }
    if (!configuration.program && !configuration.replay) {
      vscode.window.showErrorMessage("A launch configuration for EZ needs a 'program' or a 'replay'.");
      return undefined;
    }
    if (!configuration.cwd && folder) {
      configuration.cwd = folder.uri.fsPath;
    }
    return configuration;
  },
};

// The names in the lines above the one where the program stands, for which values are shown.
const inlineValues = {
  provideInlineValues(document, viewPort, context) {
    const values = [];
    if (!setting("inlineValues")) {
      return values;
    }
    const last = Math.min(viewPort.end.line, context.stoppedLocation.end.line);
    for (let line = viewPort.start.line; line <= last; line++) {
      const text = document.lineAt(line).text;
      // What is in strings and comments is no name; blanks keep the columns.
      const blank = (part) => " ".repeat(part.length);
      const code = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\/\/.*/g, blank);
      for (const found of code.matchAll(/(?<![.\w@])(?:temp\s+|const\s+|for(?:_each)?\s+)?([A-Za-z_]\w*)(?=\s*(?:[-+*\/%]?=(?!=)|\s(?:int|uint|float|bool|string|char|byte|[iuf]\d+|map\[|\[)|\s+in\b))/g)) {
        const start = found.index + found[0].length - found[1].length;
        const range = new vscode.Range(line, start, line, start + found[1].length);
        values.push(new vscode.InlineValueVariableLookup(range, found[1], true));
      }
    }
    return values;
  },
};

function start(uri, options) {
  const file = uri || (vscode.window.activeTextEditor && vscode.window.activeTextEditor.document.uri);
  if (!file) {
    vscode.window.showErrorMessage("No EZ file is open.");
    return;
  }
  return vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), debugFile(file), options);
}

function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("ez", adapters),
    vscode.debug.registerDebugConfigurationProvider("ez", configurations),
    vscode.languages.registerInlineValuesProvider("ez", inlineValues),
    vscode.commands.registerCommand("ez.runFile", (uri) => start(uri, { noDebug: true })),
    vscode.commands.registerCommand("ez.debugFile", (uri) => start(uri, {})),
  );
}

module.exports = { activate, deactivate() {} };
