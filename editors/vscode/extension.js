// Starts `ez dap` for debug sessions and `ez lsp`, and says what F5 does with a file that has no launch.json.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { Cases } = require("./cases");
const { LanguageServer } = require("./language");
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
  async createDebugAdapterDescriptor() {
    return new vscode.DebugAdapterExecutable(await usable(), ["dap"]);
  },
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
      if (editor.document.isUntitled) {
        vscode.window.showErrorMessage("Save the program first: it is run from its file.");
        return undefined;
      }
      Object.assign(configuration, debugFile(editor.document.uri));
    }
    // Breakpoints of guests come with their conditions.
    configuration.guestEvents = true;
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

// How the statement that was carried out last has computed its result: a line for each stage.
class Unfolded {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    this.items = [];
    this.mark = vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    });
  }

  getChildren() {
    return this.items;
  }

  getTreeItem(item) {
    return item;
  }

  // Asks for the last statement, or for the next one.
  async show(next) {
    const session = vscode.debug.activeDebugSession;
    if (!session || session.type !== "ez") {
      vscode.window.showInformationMessage("No EZ program is being debugged.");
      return;
    }
    const frame = vscode.debug.activeStackItem;
    try {
      const asked = { next: Boolean(next), frameId: frame && frame.frameId };
      this.fill(await session.customRequest("unfold", asked));
      vscode.commands.executeCommand("ez.unfolded.focus");
    } catch (error) {
      vscode.window.showInformationMessage(plain(error.message));
    }
  }

  fill(answer) {
    const item = (text, highlights, part) => {
      const made = new vscode.TreeItem({ label: text, highlights });
      if (part) {
        made.command = { command: "ez.showPart", title: "Show", arguments: [answer.source.path, part] };
        made.tooltip = part.text;
      }
      return made;
    };
    const code = (text, from) => Array.from(text).slice(0, from).join("").length;
    this.items = answer.lines.map((line, number) => {
      const before = number === 0 ? answer.prefix : "= ";
      const start = before.length + code(line.text, line.start);
      const end = before.length + code(line.text, line.start + line.length);
      return item(before + line.text, line.length > 0 ? [[start, end]] : [], answer.parts[line.part]);
    });
    for (const part of answer.parts) {
      if (part.skipped) {
        this.items.push(item(`${part.text} was not computed: ${part.skipped}`, [], part));
      } else if (part.kind === "write" && part.newValue !== undefined) {
        const old = part.oldValue === undefined ? "" : `${part.oldValue} → `;
        this.items.push(item(`${part.target}: ${old}${part.newValue}`, [], part));
      } else if (part.kind === "error") {
        this.items.push(item(`${part.message} [${part.code}]`, [], part));
      }
    }
    if (answer.incomplete) {
      this.items.push(item(`Not finished: ${answer.incomplete}`, []));
    }
    this.changed.fire();
  }

  // Marks a part in the source.
  async showPart(path, part) {
    const document = await vscode.workspace.openTextDocument(path);
    const editor = await vscode.window.showTextDocument(document, { preserveFocus: true });
    const range = new vscode.Range(part.line - 1, part.column - 1, part.endLine - 1, part.endColumn - 1);
    editor.setDecorations(this.mark, [range]);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  clear() {
    this.items = [];
    this.changed.fire();
    vscode.window.visibleTextEditors.forEach((editor) => editor.setDecorations(this.mark, []));
  }
}

// What was written to a variable, the latest first; a click goes to before that.
class Changes {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    this.items = [];
  }

  getChildren() {
    return this.items;
  }

  getTreeItem(item) {
    return item;
  }

  // Asks for the changes of the selected expression, or of one that is typed.
  async ask(expression) {
    const session = vscode.debug.activeDebugSession;
    if (!session || session.type !== "ez") {
      vscode.window.showInformationMessage("No EZ program is being debugged.");
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const word = editor && editor.document.getWordRangeAtPosition(editor.selection.active);
    const selected = editor && editor.document.getText(editor.selection.isEmpty ? word : editor.selection);
    const wanted = expression || (await vscode.window.showInputBox({
      prompt: "The variable, element or field whose changes to list",
      value: editor && (word || !editor.selection.isEmpty) ? selected : "",
    }));
    if (wanted) {
      this.items = [];
      const frame = vscode.debug.activeStackItem;
      await this.more(session, { expression: wanted, frameId: frame && frame.frameId });
      vscode.commands.executeCommand("ez.changes.focus");
    }
  }

  // Adds a page to the list.
  async more(session, asked) {
    try {
      const answer = await session.customRequest("changes", asked);
      const kept = this.items.filter((item) => !item.isMore);
      this.items = kept.concat(answer.changes.map((change) => this.item(session, change)));
      if (answer.next !== undefined) {
        const more = new vscode.TreeItem("Show earlier changes");
        more.isMore = true;
        const next = Object.assign({}, asked, { before: answer.next });
        more.command = { command: "ez.moreChanges", title: "Show", arguments: [session, next] };
        this.items.push(more);
      }
      this.changed.fire();
    } catch (error) {
      vscode.window.showInformationMessage(plain(error.message));
    }
  }

  item(session, change) {
    const value = change.newValue === undefined ? "nothing" : change.newValue;
    const old = change.oldValue === undefined ? "nothing" : change.oldValue;
    const by = change.cause === "client" ? ", by you" : "";
    const isWrite = change.cause === "written" || change.cause === "client";
    const made = new vscode.TreeItem(isWrite ? `${old} → ${value}${by}` : `${change.cause}: ${value}`);
    made.description = `line ${change.line}, step ${change.step}`;
    made.command = { command: "ez.goToStep", title: "Go There", arguments: [session, change.step] };
    made.tooltip = "Go to before this change";
    return made;
  }

  clear() {
    this.items = [];
    this.changed.fire();
  }
}

async function goToStep(session, step) {
  try {
    await session.customRequest("goToStep", { step });
  } catch (error) {
    vscode.window.showInformationMessage(plain(error.message));
  }
}

// The language server, from the activation on.
let server;

function activate(context) {
  const unfolded = new Unfolded();
  const changes = new Changes();
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
    vscode.commands.registerCommand("ez.goToStep", goToStep),
    vscode.debug.onDidTerminateDebugSession(() => changes.clear()),
    vscode.debug.onDidTerminateDebugSession(() => unfolded.clear()),
    vscode.debug.onDidChangeActiveStackItem(() => unfolded.clear()),
    vscode.debug.registerDebugAdapterDescriptorFactory("ez", adapters),
    vscode.debug.registerDebugConfigurationProvider("ez", configurations),
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
