// Starts `ez dap` for debug sessions and `ez lsp`, and says what F5 does with a file that has no launch.json.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { Cases } = require("./cases");
const { LanguageServer } = require("./language");
const { Changes, Unfolded } = require("./past");
const { Sharing } = require("./sharing");

const VERSION = require("./package.json").version;

function setting(name) {
  return vscode.workspace.getConfiguration("ez").get(name);
}

// A message with text of the program, for a notification: what looks like a link there is none.
function plain(message) {
  return message.replace(/\]\(/g, "]\u200b(");
}

// The program ez: that of the setting, or the one that was packed with the extension, or the one in the PATH.
function program() {
  const own = path.join(__dirname, "bin", process.platform === "win32" ? "ez.exe" : "ez");
  return setting("path") || (fs.existsSync(own) ? own : "ez");
}

// What versions that go together have in common: of 0.3.1 "0.3", of 2.3.1 "2".
function series(version) {
  const [first, second] = version.split(".");
  return first === "0" ? `0.${second}` : first;
}

// Why a program is of no use to this extension, as a sentence; nothing if it is of use. `said` is what it says of its
// version, nothing if it could not be started.
function misfit(ez, said) {
  if (said === undefined) {
    return `There is no program '${ez}': install ez, or say in the setting ez.path where it is.`;
  }
  const found = /ez-debugger (\d+\.\d+)(\.\d+)?/.exec(said);
  if (!found) {
    return `'${ez}' is not the ez of ez-debugger: say in the setting ez.path where that is.`;
  }
  const version = found[0].replace("ez-debugger ", "");
  if (series(version) === series(VERSION)) {
    return undefined;
  }
  const isOld = version.localeCompare(VERSION, undefined, { numeric: true }) < 0;
  const what = isOld ? "too old: update ez" : "too new: update the extension";
  return `ez ${version} ('${ez}') is for this extension (${VERSION}) ${what}.`;
}

// What `ez --version` prints; nothing if there is no such program. Fails with the reason if it could not tell that.
function versionOf(ez) {
  return new Promise((resolve, reject) => {
    execFile(ez, ["--version"], { timeout: 10000 }, (error, out) => {
      if (!error || typeof error.code === "number") {
        // A status is a number: what it has printed says whether it is ez.
        resolve(String(out));
      } else if (error.code === "ENOENT") {
        resolve(undefined);
      } else {
        const why = error.signal ? `it was ended by ${error.signal}` : error.message;
        reject(new Error(plain(`'${ez}' does not tell its version: ${why}.`)));
      }
    });
  });
}

// The program, if it is of use to this extension; fails with the reason.
async function usable() {
  const ez = program();
  const problem = misfit(ez, await versionOf(ez));
  if (problem) {
    throw new Error(plain(problem));
  }
  return ez;
}

// The adapter of a session.
const adapters = {
  async createDebugAdapterDescriptor({ configuration }) {
    // The program of a case reaches no file out of its folder, as where it is run.
    const confined = configuration.caseSession ? ["--root", configuration.cwd] : [];
    return new vscode.DebugAdapterExecutable(await usable(), ["dap", ...confined]);
  },
};

// The errors of a program that cannot be launched are in the console, which the editor then does not open by itself.
const trackers = {
  createDebugAdapterTracker: () => ({
    onDidSendMessage({ command, success, body }) {
      if (command === "launch" && success === false && body && body.error && body.error.showUser === false) {
        vscode.commands.executeCommand("workbench.panel.repl.view.focus");
      }
    },
  }),
};

// The tasks *check* and *run* of the file in the editor, or of what tasks.json names.
const tasks = {
  provideTasks() {
    return ["check", "run"].map((command) => tasks.resolveTask({ definition: { type: "ez", command } }));
  },
  resolveTask({ definition, scope }) {
    const { command, path: file = "${file}" } = definition;
    const execution = new vscode.ProcessExecution(program(), [command, file]);
    const matchers = command === "check" ? ["$ez"] : [];
    const task = new vscode.Task(definition, scope || vscode.TaskScope.Workspace, command, "ez", execution, matchers);
    task.group = command === "check" ? vscode.TaskGroup.Build : undefined;
    return task;
  },
};

// What debugs a file; its folder is the working directory where it is in none of the workspace.
function debugFile(uri) {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const cwd = folder ? folder.uri.fsPath : path.dirname(uri.fsPath);
  return { type: "ez", request: "launch", name: "Debug this EZ file", program: uri.fsPath, cwd };
}

// What is offered for a launch.json, and where there is none.
const offers = {
  provideDebugConfigurations() {
    const plain = { type: "ez", request: "launch", name: "Debug this EZ file", program: "${file}" };
    return [plain, { ...plain, name: `${plain.name}, forwards and backwards`, history: true }];
  },
};

const configurations = {
  ...offers,
  resolveDebugConfiguration(folder, configuration) {
    const editor = vscode.window.activeTextEditor;
    if (!configuration.type && !configuration.request && !configuration.name) {
      // F5 without a launch.json.
      if (!editor || editor.document.languageId !== "ez") {
        return configuration;
      }
      if (editor.document.isUntitled) {
        vscode.window.showErrorMessage("Save the program first: it is run from its file.");
        return undefined;
      }
      Object.assign(configuration, debugFile(editor.document.uri));
    }
    // Breakpoints of guests come with their conditions.
    configuration.guestEvents = true;
    const opens = vscode.workspace.getConfiguration("debug").get("internalConsoleOptions");
    if (opens === "openOnFirstSessionStart" && !configuration.internalConsoleOptions) {
      // What the program prints is there, also where another panel was opened since; or it is in a terminal.
      const isInTerminal = (configuration.console || "internalConsole") !== "internalConsole";
      configuration.internalConsoleOptions = isInTerminal ? "neverOpen" : "openOnSessionStart";
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

// The first line of the function in which a line is: names in lines before it are those of others.
function functionStart(document, line) {
  while (line > 0 && !/^(?:#\S+\s+)*(?:private\s+)?do\s/.test(document.lineAt(line).text)) {
    line--;
  }
  return line;
}

// The names in the lines of the function above the one where the program stands, for which values are shown.
const inlineValues = {
  provideInlineValues(document, viewPort, context) {
    const values = [];
    if (!setting("inlineValues")) {
      return values;
    }
    const last = Math.min(viewPort.end.line, context.stoppedLocation.end.line);
    const first = Math.max(viewPort.start.line, functionStart(document, context.stoppedLocation.start.line));
    for (let line = first; line <= last; line++) {
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

// Runs or debugs a file, or that in the editor. `more`: what is asked for besides.
async function start(uri, options, more) {
  let file = uri || (vscode.window.activeTextEditor && vscode.window.activeTextEditor.document.uri);
  if (!file) {
    vscode.window.showErrorMessage("No EZ file is open.");
    return;
  }
  if (file.scheme === "untitled") {
    file = await vscode.workspace.save(file);
  }
  if (file) {
    await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), { ...debugFile(file), ...more }, options);
  }
}

// The language server, from the activation on.
let server;

function activate(context) {
  const unfolded = new Unfolded(plain);
  const changes = new Changes(plain);
  server = new LanguageServer({
    program: usable,
    // What is in a folder that is not trusted might be taken for the program ez.
    isWanted: () => vscode.workspace.isTrusted && setting("languageServer"),
    warn: (message) => vscode.window.showWarningMessage(plain(message)),
  });
  server.restart();
  new Sharing(plain).activate(context);
  const cases = new Cases(usable, plain);
  if (vscode.workspace.isTrusted) {
    cases.activate(context);
  }
  context.subscriptions.push(
    unfolded.mark,
    vscode.window.registerTreeDataProvider("ez.unfolded", unfolded),
    vscode.commands.registerCommand("ez.unfold", () => unfolded.show(false)),
    vscode.commands.registerCommand("ez.unfoldNext", () => unfolded.show(true)),
    vscode.commands.registerCommand("ez.showPart", (path, part) => unfolded.showPart(path, part)),
    vscode.window.registerTreeDataProvider("ez.changes", changes),
    vscode.commands.registerCommand("ez.changes", (expression) => changes.ask(expression)),
    vscode.commands.registerCommand("ez.variableChanges", ({ variable }) =>
      changes.ask(variable.evaluateName || variable.name)),
    vscode.commands.registerCommand("ez.moreChanges", (session, asked) => changes.more(session, asked)),
    vscode.commands.registerCommand("ez.goToStep", (session, step) => changes.goToStep(session, step)),
    vscode.debug.onDidTerminateDebugSession(() => changes.clear()),
    vscode.debug.onDidTerminateDebugSession(() => unfolded.clear()),
    vscode.debug.onDidChangeActiveStackItem(() => unfolded.clear()),
    vscode.debug.registerDebugAdapterDescriptorFactory("ez", adapters),
    vscode.debug.registerDebugAdapterTrackerFactory("ez", trackers),
    vscode.debug.registerDebugConfigurationProvider("ez", configurations),
    vscode.debug.registerDebugConfigurationProvider("ez", offers, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
    vscode.languages.registerInlineValuesProvider("ez", inlineValues),
    vscode.commands.registerCommand("ez.restartLanguageServer", () => server.restart()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      cases.activate(context);
      server.restart();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ez.path") || change.affectsConfiguration("ez.languageServer")) {
        server.restart();
      }
    }),
    vscode.tasks.registerTaskProvider("ez", tasks),
    vscode.commands.registerCommand("ez.runFile", (uri) => start(uri, { noDebug: true })),
    vscode.commands.registerCommand("ez.debugFile", (uri) => start(uri, {})),
    vscode.commands.registerCommand("ez.debugFileBack", (uri) => start(uri, {}, { history: true })),
  );
}

function deactivate() {
  return server && server.stop();
}

module.exports = { activate, deactivate, misfit, program };
