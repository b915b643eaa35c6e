// Which `ez` the extension starts, and what it says of one that it cannot use. EZ names the program; EXTENSION the
// folder of an extension to test instead of this one. Needs only node: the editor's module is a stand-in.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");

const folder = process.env.EXTENSION || path.join(__dirname, "..");
const registered = {};
let configured = "";

// Each part of the editor that the extension uses: functions give what can be disposed of.
const disposable = () => ({ dispose() {} });
const record = (kind) => (name, value) => {
  registered[`${kind} ${name}`] = value;
  return disposable();
};
const vscode = {
  workspace: { getConfiguration: () => ({ get: (name) => (name === "path" ? configured : true) }) },
  window: { createTextEditorDecorationType: disposable, registerTreeDataProvider: record("view"), visibleTextEditors: [] },
  commands: { registerCommand: record("command") },
  debug: {
    onDidTerminateDebugSession: disposable,
    onDidChangeActiveStackItem: disposable,
    registerDebugAdapterDescriptorFactory: record("adapter"),
    registerDebugConfigurationProvider: record("configuration"),
  },
  languages: { registerInlineValuesProvider: disposable },
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
  const adapter = await registered["adapter ez"].createDebugAdapterDescriptor();
  assert.deepStrictEqual(adapter.args, ["dap"]);
  assert.match(execFileSync(adapter.command, ["--version"], { encoding: "utf8" }), /ez-debugger/);
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
  await assert.rejects(registered["adapter ez"].createDebugAdapterDescriptor(),
    /^Error: '.*package\.json' does not tell its version: /);
  configured = path.join(folder, "nowhere", "ez");
  await assert.rejects(registered["adapter ez"].createDebugAdapterDescriptor(), /^Error: There is no program '/);
});
