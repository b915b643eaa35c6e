// The cases of programs in the Testing view. EZ names the program; needs only node: the editor's module is a stand-in.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

class Items {
  constructor() {
    this.all = new Map();
  }
  get size() {
    return this.all.size;
  }
  get(id) {
    return this.all.get(id);
  }
  add(item) {
    this.all.set(item.id, item);
  }
  delete(id) {
    this.all.delete(id);
  }
  replace(items) {
    this.all = new Map(items.map((item) => [item.id, item]));
  }
  forEach(action) {
    this.all.forEach(action);
  }
  [Symbol.iterator]() {
    return this.all[Symbol.iterator]();
  }
}

const said = [];
const started = [];
let ended = () => {};
const controller = {
  items: new Items(),
  profiles: {},
  createTestItem: (id, label, uri) => ({ id, label, uri, children: new Items() }),
  createRunProfile(label, kind, handler) {
    this.profiles[label] = handler;
  },
  createTestRun: () => {
    const tell = (what) => (item, message) => said.push([what, item.label, message]);
    return Object.fromEntries(["started", "passed", "failed", "errored", "skipped"].map((what) => [what, tell(what)])
      .concat([["end", () => said.push(["end"])]]));
  },
};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ez cases "));
const uri = (fsPath) => ({ fsPath });
class TestMessage {
  constructor(message) {
    this.message = message;
  }
  static diff(message, expected, actual) {
    return Object.assign(new TestMessage(message), { expected, actual });
  }
}
const disposable = () => ({ dispose() {} });
const files = () => fs.readdirSync(folder, { recursive: true }).filter((file) => /cases.*\.(in|out|args)$/.test(file));
const vscode = {
  tests: { createTestController: () => controller },
  TestMessage,
  TestRunProfileKind: { Run: 1, Debug: 2 },
  Position: class {
    constructor(line, character) {
      Object.assign(this, { line, character });
    }
  },
  Location: class {
    constructor(uri, at) {
      Object.assign(this, { uri, at });
    }
  },
  Uri: { file: uri },
  workspace: {
    asRelativePath: ({ fsPath }) => path.relative(folder, fsPath),
    createFileSystemWatcher: () => ({ onDidCreate: disposable, onDidDelete: disposable, onDidChange: disposable }),
    findFiles: async () => files().map((file) => uri(path.join(folder, file))),
    getWorkspaceFolder: () => undefined,
  },
  debug: {
    onDidTerminateDebugSession: (listener) => {
      ended = listener;
      return disposable();
    },
    startDebugging: async (of, configuration) => {
      started.push(configuration);
      setImmediate(() => ended({ configuration }));
      return true;
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const { Cases } = require("../cases");

const token = { isCancellationRequested: false, onCancellationRequested: disposable };
const program = path.join(folder, "double.ez");
const cases = new Cases(async () => process.env.EZ, (text) => text);

function write(name, text) {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

test("cases are found, run and debugged", async () => {
  write("double.ez", `import @std
using std

do main() {
    temp number int = cast(input(), int)
    println("\${number * number}")
}
`);
  write("double.cases/two.in", "2\n");
  write("double.cases/two.out", "4\n");
  write("double.cases/[3].in", "3\n");
  write("double.cases/[3].out", "6\n");
  write("broken.ez", "do main() {");
  write("broken.cases/one.out", "1\n");
  cases.activate({ subscriptions: [] });
  await controller.refreshHandler();
  const item = controller.items.get(program);
  assert.deepEqual([...item.children].map(([, one]) => one.label), ["[3]", "two"]);
  assert.equal(item.error, undefined);

  await controller.profiles.Run({ include: [item] }, token);
  assert.deepEqual(said.map(([what, label]) => [what, label]), [
    ["started", "[3]"], ["started", "two"], ["failed", "[3]"], ["passed", "two"], ["end", undefined],
  ]);
  const message = said[2][2];
  assert.deepEqual([message.expected, message.actual], ["6", "9"]);
  assert.match(message.message, /number = 3/);
  assert.deepEqual([message.location.uri.fsPath, message.location.at.line], [program, 5]);

  // One case, whose name looks like a pattern.
  said.length = 0;
  const [, third] = [...item.children][0];
  await controller.profiles.Run({ include: [third] }, token);
  assert.deepEqual(said.map(([what]) => what), ["started", "failed", "end"]);

  await controller.profiles.Debug({ include: [third] }, token);
  const { input, expectedOutput, history, args } = started[0];
  assert.deepEqual({ input, history, args }, { input: "3\n", history: true, args: [] });
  assert.equal(expectedOutput, path.join(folder, "double.cases", "[3].out"));

  // What cannot be run says why.
  said.length = 0;
  await controller.profiles.Run({ include: [controller.items.get(path.join(folder, "broken.ez"))] }, token);
  assert.deepEqual(said.map(([what]) => what), ["started", "errored", "end"]);
  assert.match(said[1][2].message, /E\d{4}/);

  // A program without cases any more.
  fs.rmSync(path.join(folder, "double.cases"), { recursive: true });
  await controller.refreshHandler();
  assert.equal(controller.items.get(program), undefined);
  fs.rmSync(folder, { recursive: true });
});
