// Which `ez` the extension starts, and what it says of one that it cannot use. EZ names the program; EXTENSION the
// folder of an extension to test instead of this one. Needs only node: the editor's module is a stand-in.
"use strict";

const assert = require("node:assert");
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const folder = process.env.EXTENSION || path.join(__dirname, "..");
const registered = {};
let configured = "";
let wantsServer = false;
let warned = () => {};
let consoleOpens = "openOnFirstSessionStart";
const settings = () =>
  ({ path: configured, languageServer: wantsServer, inlineValues: true, internalConsoleOptions: consoleOpens });
const carriedOut = [];
let saved;
const launched = [];
const warning = () => new Promise((resolve) => (warned = resolve));

// Each part of the editor that the extension uses: functions give what can be disposed of.
const disposable = () => ({ dispose() {} });
const record = (kind) => (name, value) => {
  registered[`${kind} ${name}`] = value;
  return disposable();
};
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => settings()[name] }),
    isTrusted: true,
    onDidChangeConfiguration: disposable,
    onDidGrantWorkspaceTrust: disposable,
    getWorkspaceFolder: ({ fsPath }) => fsPath.startsWith("/class/") ? { uri: { fsPath: "/class" } } : undefined,
    save: async () => saved,
    createFileSystemWatcher: () => ({ onDidCreate() {}, onDidDelete() {}, onDidChange() {}, dispose() {} }),
  },
  tests: { createTestController: () => ({ createRunProfile() {}, dispose() {} }) },
  TestRunProfileKind: { Run: 1, Debug: 2 },
  window: {
    createTextEditorDecorationType: disposable,
    registerTreeDataProvider: record("view"),
    showWarningMessage: (message) => warned(message),
    showErrorMessage: (message) => warned(message),
    visibleTextEditors: [],
  },
  commands: { registerCommand: record("command"), executeCommand: (command) => carriedOut.push(command) },
  debug: {
    onDidTerminateDebugSession: disposable,
    onDidChangeActiveStackItem: disposable,
    onDidChangeBreakpoints: disposable,
    onDidReceiveDebugSessionCustomEvent: disposable,
    startDebugging: async (_, configuration) => launched.push(configuration),
    registerDebugAdapterDescriptorFactory: record("adapter"),
    registerDebugAdapterTrackerFactory: record("trackers"),
    // `kind`: when the provider is asked.
    registerDebugConfigurationProvider: (name, value, kind = 1) => record(`configuration ${kind}`)(name, value),
  },
  DebugConfigurationProviderTriggerKind: { Initial: 1, Dynamic: 2 },
  languages: { registerInlineValuesProvider: record("values") },
  tasks: { registerTaskProvider: record("tasks") },
  Task: class {
    constructor(definition, scope, name, source, execution, matchers) {
      Object.assign(this, { definition, name, execution, matchers });
    }
  },
  TaskGroup: { Build: "build" },
  TaskScope: { Workspace: 2 },
  ProcessExecution: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
  Range: class {
    constructor(line) {
      this.line = line;
    }
  },
  InlineValueVariableLookup: class {
    constructor({ line }, name) {
      Object.assign(this, { line, name });
    }
  },
  EventEmitter: class {},
  ThemeColor: class {},
  DebugAdapterExecutable: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const manifest = require(path.join(folder, "package.json"));
const extension = require(path.join(folder, manifest.main));
const own = path.join(folder, "bin", process.platform === "win32" ? "ez.exe" : "ez");

test("it registers the commands of its manifest", () => {
  extension.activate({ subscriptions: [] });
  for (const { command } of manifest.contributes.commands) {
    assert.ok(registered[`command ${command}`], command);
  }
});

test("it starts the program of the setting, its own, or the one in the path", () => {
  assert.strictEqual(extension.program(), fs.existsSync(own) ? own : "ez");
  configured = "/opt/ez";
  assert.strictEqual(extension.program(), "/opt/ez");
});

test("it starts the adapter of a program that goes with it", async () => {
  configured = fs.existsSync(own) ? "" : process.env.EZ;
  const adapter = await registered["adapter ez"].createDebugAdapterDescriptor({ configuration: {} });
  assert.deepStrictEqual(adapter.args, ["dap"]);
  const ofCase = { configuration: { caseSession: 1, cwd: "/programs" } };
  const confined = await registered["adapter ez"].createDebugAdapterDescriptor(ofCase);
  assert.deepStrictEqual(confined.args, ["dap", "--root", "/programs"]);
  assert.match(execFileSync(adapter.command, ["--version"], { encoding: "utf8" }), /ez-debugger/);
});

test("it offers tasks, and finds the reports in what they print", () => {
  configured = process.env.EZ;
  const [check] = registered["tasks ez"].provideTasks();
  assert.deepStrictEqual(check.execution.args, ["check", "${file}"]);
  assert.deepStrictEqual(check.matchers, ["$ez"]);
  const file = path.join(os.tmpdir(), `ez-${process.pid}.ez`);
  fs.writeFileSync(file, "do main() {\n    temp n int = \"two\"\n}\n");
  const printed = spawnSync(process.env.EZ, ["check", file], { encoding: "utf8" });
  fs.rmSync(file);
  const lines = (printed.stdout + printed.stderr).split("\n");
  const [first, second] = manifest.contributes.problemMatchers[0].pattern;
  const at = lines.findIndex((line) => new RegExp(first.regexp).test(line));
  const report = new RegExp(first.regexp).exec(lines[at]);
  const place = new RegExp(second.regexp).exec(lines[at + 1]);
  assert.deepStrictEqual([report[first.severity], report[first.code]], ["error", "E3001"]);
  assert.deepStrictEqual([place[second.file], place[second.line], place[second.column]], [file, "2", "10"]);
});

test("a program is run from its file", async () => {
  const run = registered["command ez.runFile"];
  const untitled = { scheme: "untitled", fsPath: "Untitled-1" };
  await run(untitled);
  assert.deepStrictEqual(launched, []);
  saved = { scheme: "file", fsPath: path.join("/desk", "new.ez") };
  await run(untitled);
  await registered["command ez.debugFileBack"]({ scheme: "file", fsPath: "/class/one/a.ez" });
  const places = launched.map(({ program, cwd, history }) => [program, cwd, history]);
  const [first, second] = places;
  assert.deepStrictEqual(first, [saved.fsPath, path.dirname(saved.fsPath), undefined]);
  assert.deepStrictEqual(second, ["/class/one/a.ez", "/class", true]);
  // F5 where the editor's own question for a name was left without an answer.
  vscode.window.activeTextEditor = { document: { languageId: "ez", isUntitled: true, uri: untitled } };
  const said = warning();
  assert.strictEqual(registered["configuration 1 ez"].resolveDebugConfiguration(undefined, {}), undefined);
  assert.match(await said, /^Save the program first/);
});

test("the editor offers to debug a file in both directions", () => {
  for (const kind of [1, 2]) {
    const offered = registered[`configuration ${kind} ez`].provideDebugConfigurations();
    assert.deepStrictEqual(offered.map(({ history }) => history), [undefined, true]);
  }
});

test("what a program prints is shown", () => {
  const resolved = (more) => registered["configuration 1 ez"]
    .resolveDebugConfiguration(undefined, { type: "ez", request: "launch", name: "a", program: "a.ez", ...more })
    .internalConsoleOptions;
  assert.strictEqual(resolved({}), "openOnSessionStart");
  assert.strictEqual(resolved({ internalConsoleOptions: "neverOpen" }), "neverOpen");
  assert.strictEqual(resolved({ console: "integratedTerminal" }), "neverOpen");
  consoleOpens = "neverOpen";
  assert.strictEqual(resolved({}), undefined);
  consoleOpens = "openOnFirstSessionStart";

  // Errors that have been printed there; the editor shows those that have not.
  const tracker = registered["trackers ez"].createDebugAdapterTracker();
  const launched = (showUser) => tracker.onDidSendMessage(
    { type: "response", command: "launch", success: false, body: { error: { showUser } } });
  launched(true);
  tracker.onDidSendMessage({ type: "response", command: "launch", success: true });
  tracker.onDidSendMessage({ type: "event", event: "output", body: {} });
  assert.deepStrictEqual(carriedOut, []);
  launched(false);
  assert.deepStrictEqual(carriedOut, ["workbench.panel.repl.view.focus"]);
});

test("values are shown in the function that is stopped", () => {
  const lines = ["do twice(n int) -> int {", "    return n * 2", "}", "", "private do main() {", "    n = 3",
    "    twice(n)", "}"];
  const document = { lineAt: (line) => ({ text: lines[line] }) };
  const all = { start: { line: 0 }, end: { line: 7 } };
  const shown = (line) => registered["values ez"]
    .provideInlineValues(document, all, { stoppedLocation: { start: { line }, end: { line } } })
    .map(({ line, name }) => `${line} ${name}`);
  assert.deepStrictEqual(shown(6), ["5 n"]);
  assert.deepStrictEqual(shown(1), ["0 n"]);
});

test("it says in one sentence why there are no reports while one types", async () => {
  wantsServer = true;
  configured = path.join(folder, "nowhere", "ez");
  const said = warning();
  await registered["command ez.restartLanguageServer"]();
  assert.match(await said, /^There is no program '.*': install ez, or say in the setting ez\.path where it is\.$/);
  wantsServer = false;
});

test("it says in one sentence why a program is of no use", async () => {
  const of = (version) => extension.misfit("/bin/ez", `EZ v2.0.0 (ez-debugger ${version})\n`);
  const [first, second] = manifest.version.split(".").map(Number);
  const next = first === 0 ? `0.${second + 1}.0` : `${first + 1}.0.0`;
  assert.strictEqual(of(manifest.version), undefined);
  assert.match(of(next), /^ez .* is for this extension \(.*\) too new: update the extension\.$/);
  assert.match(of("0.0.9"), /too old: update ez\.$/);
  assert.match(extension.misfit("/bin/ez", "EZ Language 2.0.0\n"), /is not the ez of ez-debugger/);
  // A file that may not be executed.
  configured = path.join(folder, "package.json");
  await assert.rejects(registered["adapter ez"].createDebugAdapterDescriptor({ configuration: {} }),
    /^Error: '.*package\.json' does not tell its version: /);
  configured = path.join(folder, "nowhere", "ez");
  await assert.rejects(registered["adapter ez"].createDebugAdapterDescriptor({ configuration: {} }), /^Error: There is no program '/);
});
