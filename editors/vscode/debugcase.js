// A debug session with a case of a program: it stops at the first difference.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

// Tells the sessions of cases apart.
let count = 0;

// The input of a case, which a launch configuration takes as a text.
function inputOf(file) {
  const bytes = fs.readFileSync(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not UTF-8: this case can be run, but not debugged here.`);
  }
}

// What launches a case, with the limits of `ez test`.
function configurationOf({ program, folder, input, output, arguments: args, case: name }) {
  const configuration = {
    type: "ez",
    request: "launch",
    name: `Case ${name}`,
    program,
    cwd: folder,
    args,
    input: input ? inputOf(path.resolve(folder, input)) : "",
    history: true,
    stopOnEntry: false,
    deny: ["net", "exec"],
    memoryLimit: "512M",
    caseSession: ++count,
  };
  if (output) {
    configuration.expectedOutput = path.resolve(folder, output);
  }
  return configuration;
}

// Debugs a case until its session has ended, or `token` ends it. Fails with a reason if it does not begin.
async function debugCase(known, uri, token) {
  const configuration = configurationOf(known);
  const isOurs = (session) => session.configuration.caseSession === configuration.caseSession;
  let session;
  let isShown = false;
  let watched = [];
  const stop = () => session && vscode.debug.stopDebugging(session);
  const ended = new Promise((resolve) => {
    watched = [
      vscode.debug.onDidStartDebugSession((begun) => {
        if (isOurs(begun)) {
          session = begun;
          if (token.isCancellationRequested) {
            stop();
          }
        }
      }),
      vscode.debug.onDidChangeActiveStackItem((item) => {
        // The editor shows variables by itself at breakpoints only, not at a difference.
        if (item && item.session === session && !isShown) {
          isShown = true;
          vscode.commands.executeCommand("workbench.view.debug");
        }
      }),
      vscode.debug.onDidTerminateDebugSession((gone) => {
        if (session ? gone.id === session.id : isOurs(gone)) {
          resolve();
        }
      }),
      token.onCancellationRequested(stop),
    ];
  });
  try {
    if (!(await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration))) {
      throw new Error("The editor has not begun to debug this case.");
    }
    await ended;
  } finally {
    watched.forEach((one) => one.dispose());
  }
}

module.exports = { debugCase };
