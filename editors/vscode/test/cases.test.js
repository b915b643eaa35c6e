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
const printed = [];
let told = () => undefined;
const started = [];
// Listeners to what begins and ends, and what the editor does with a session.
const listeners = { begin: new Set(), stop: new Set(), end: new Set() };
const tellAll = (what, session) => [...listeners[what]].forEach((listener) => listener(session));
const listen = (what) => (listener) => {
  listeners[what].add(listener);
  return { dispose: () => listeners[what].delete(listener) };
};
let begin = (session) => setImmediate(() => {
  tellAll("stop", { session });
  tellAll("stop", { session });
  tellAll("stop", undefined);
  tellAll("end", session);
});
// What the editor was asked to show.
const warned = [];
const carriedOut = [];
const controller = {
  items: new Items(),
  profiles: {},
  createTestItem(id, label, uri) {
    // As the editor does, which separates the parts of paths in the tree with it.
    assert.ok(!id.includes("\0"), `Test IDs may not include the ${JSON.stringify(id)} symbol`);
    return { id, label, uri, children: new Items() };
  },
  createRunProfile(label, kind, handler) {
    this.profiles[label] = handler;
  },
  createTestRun: () => {
    const tell = (what) => (item, message) => {
      said.push([what, item.label, message]);
      told(what);
    };
    return Object.fromEntries(["started", "passed", "failed", "errored", "skipped"].map((what) => [what, tell(what)])
      .concat([["end", () => said.push(["end"])], ["appendOutput", (text) => printed.push(text)]]));
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
// The watchers of the editor. Of a folder that is renamed or deleted it tells the name, and nothing of what is in it.
const watchers = [];
class Watcher {
  constructor(pattern, ...ignored) {
    const words = { "**/": "(.*/)?", "**": ".*", "*": "[^/]*", "{": "(", "}": ")", ",": "|", ".": "\\." };
    this.pattern = new RegExp(`^${pattern.replace(/\*\*\/|\*\*|[*{},.]/g, (word) => words[word])}$`);
    ["onDidCreate", "onDidChange", "onDidDelete"].forEach((kind, number) => {
      this[kind] = (listener) => {
        if (!ignored[number]) {
          watchers.push({ kind, pattern: this.pattern, listener });
        }
        return disposable();
      };
    });
  }
}
function tellOf(kind, name) {
  const file = path.join(folder, name);
  watchers.filter((one) => one.kind === kind && one.pattern.test(name)).forEach(({ listener }) => listener(uri(file)));
}
const files = () => fs.readdirSync(folder, { recursive: true }).filter((file) => /cases.*\.(in|out|args)$/.test(file));
const vscode = {
  tests: { createTestController: () => controller },
  TestMessage,
  TestRunProfileKind: { Run: 1, Debug: 2 },
  Range: class {},
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
    asRelativePath: (of) => path.relative(folder, of.fsPath || of),
    createFileSystemWatcher: (...watched) => new Watcher(...watched),
    findFiles: async (pattern, excluded, most) => files().slice(0, most).map((file) => uri(path.join(folder, file))),
    getWorkspaceFolder: () => undefined,
  },
  window: { showErrorMessage: (message) => warned.push(message) },
  commands: { executeCommand: async (command) => carriedOut.push(command) },
  debug: {
    onDidChangeActiveStackItem: listen("stop"),
    onDidStartDebugSession: listen("begin"),
    onDidTerminateDebugSession: listen("end"),
    stopDebugging: async (session) => tellAll("end", session),
    startDebugging: async (of, configuration) => {
      started.push(configuration);
      const session = { id: `session ${started.length}`, configuration };
      if (begin) {
        tellAll("begin", session);
        begin(session);
      }
      return Boolean(begin);
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const { Cases } = require("../cases");

const token = { isCancellationRequested: false, onCancellationRequested: disposable };
const program = path.join(folder, "double.ez");
let ez = process.env.EZ;
const cases = new Cases(async () => ez, (text) => text);

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
  write("double.cases/[3].out", "8\n");
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
  // The editor opens the last message; the ones before it stand where it comes from.
  const [cause, message] = said[2][2];
  assert.deepEqual([message.expected, message.actual], ["8", "9"]);
  assert.match(message.message, /^line 1: expected "8", printed "9"; the number is 1 too large$/);
  assert.deepEqual([message.location.uri.fsPath, message.location.at.line], [program, 5]);
  assert.match(printed.join(""), /^double\.ez: \[3\]\r\n  line 1: .*\r\n  the number is 1 too large\r\n  number = 3 .*\r\n\r\n$/);
  assert.match(cause.message, /number = 3/);
  assert.deepEqual([cause.location.uri.fsPath, cause.location.at.line], [program, 4]);

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
  assert.deepEqual(said[1][2].location.uri.fsPath, path.join(folder, "broken.ez"));

  // A program without cases any more.
  fs.rmSync(path.join(folder, "double.cases"), { recursive: true });
  await controller.refreshHandler();
  assert.equal(controller.items.get(program), undefined);
});

function cancellable() {
  const stops = [];
  return {
    isCancellationRequested: false,
    onCancellationRequested: (stop) => (stops.push(stop), disposable()),
    cancel() {
      this.isCancellationRequested = true;
      stops.forEach((stop) => stop());
    },
  };
}
const outcome = () => said.filter(([what]) => what !== "started").map(([what]) => what);
const itemOf = (name) => controller.items.get(path.join(folder, name));

const ONE = "import @std\nusing std\ndo main() { println(1) }\n";

test("all cases are run, also before they are found", async () => {
  write("early.ez", ONE);
  write("early.cases/1.out", "1\n");
  said.length = 0;
  controller.refreshHandler();
  await controller.profiles.Run({}, token);
  assert.ok(said.some(([what, , message]) => what === "passed" && message > 0));
});

test("one call runs some cases of a program", async () => {
  write("many.ez", ONE);
  for (let number = 0; number < 5; number++) {
    write(`many.cases/${number}.out`, "1\n");
  }
  await controller.refreshHandler();
  const item = itemOf("many.ez");
  assert.equal(item.error, undefined);
  const [, first] = [...item.children][0];
  let calls = 0;
  const real = cases.usable;
  cases.usable = () => (calls++, real());
  said.length = 0;
  await controller.profiles.Run({ include: [item], exclude: [first] }, token);
  cases.usable = real;
  assert.deepEqual([calls, outcome()], [1, ["passed", "passed", "passed", "passed", "end"]]);
  // Results reach items of the tree, also when it has been listed anew.
  await controller.refreshHandler();
  assert.equal([...item.children][0][1], first);
});

test("a program may have the name of a flag, or be gone", async () => {
  write("-d.ez", ONE);
  write("-d.cases/1.out", "1\n");
  await controller.refreshHandler();
  const item = itemOf("-d.ez");
  assert.deepEqual([item.error, item.children.size], [undefined, 1]);
  write("gone.ez", ONE);
  write("gone.cases/1.out", "1\n");
  await controller.refreshHandler();
  const gone = itemOf("gone.ez");
  fs.rmSync(path.join(folder, "gone.ez"));
  said.length = 0;
  await controller.profiles.Run({ include: [gone] }, token);
  assert.deepEqual(outcome(), ["errored", "end"]);
  assert.equal(itemOf("gone.ez"), undefined);
});

test("no program is missing because another one has many cases", async () => {
  write("a.ez", ONE);
  for (let number = 0; number < 5100; number++) {
    write(`a.cases/${number}.out`, "1\n");
  }
  await controller.refreshHandler();
  assert.deepEqual([itemOf("a.ez").children.size, itemOf("many.ez").children.size], [5100, 5]);
  fs.rmSync(path.join(folder, "a.cases"), { recursive: true });
});

test("the view shows what is there", async () => {
  // Until the view has changed, or is as it is to be.
  const until = async (isSo) => {
    while (!isSo()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  write("later.ez", ONE);
  tellOf("onDidCreate", "later.ez");
  write("later.cases/1.out", "1\n");
  tellOf("onDidCreate", "later.cases/1.out");
  await until(() => itemOf("later.ez") && itemOf("later.ez").children.size === 1);
  write("later.cases/2.out", "2\n");
  tellOf("onDidCreate", "later.cases/2.out");
  await until(() => itemOf("later.ez").children.size === 2);
  const rename = (from, to) => {
    fs.renameSync(path.join(folder, from), path.join(folder, to));
    tellOf("onDidDelete", from);
    tellOf("onDidCreate", to);
  };
  rename("later.cases", "away.cases");
  await until(() => !itemOf("later.ez"));
  rename("away.cases", "later.cases");
  await until(() => itemOf("later.ez"));
  rename("later.ez", "sooner.ez");
  await until(() => !itemOf("later.ez"));
  rename("sooner.ez", "later.ez");
  await until(() => itemOf("later.ez"));
  fs.mkdirSync(path.join(folder, "exercise"));
  rename("later.ez", "exercise/later.ez");
  rename("later.cases", "exercise/later.cases");
  await until(() => itemOf("exercise/later.ez"));
  fs.rmSync(path.join(folder, "exercise"), { recursive: true });
  tellOf("onDidDelete", "exercise");
  await until(() => !itemOf("exercise/later.ez"));
});

test("another program than ez is an error of the case", { skip: process.platform === "win32" }, async () => {
  const item = itemOf("many.ez");
  ez = path.join(folder, "other");
  for (const text of ["hello", '{"program":"many.ez","done":1}', ""]) {
    fs.writeFileSync(ez, `#!/bin/sh\nprintf '%s' '${text && `${text}\n`}'\n`, { mode: 0o755 });
    said.length = 0;
    await controller.profiles.Run({ include: [item] }, token);
    assert.deepEqual(new Set(outcome()), new Set(["errored", "end"]), text);
  }
  fs.writeFileSync(ez, "#!/bin/sh\necho hello\n");
  await controller.refreshHandler();
  assert.equal(item.children.size, 5);
  assert.match(item.error, /hello/);

  // Results are told as they come, and those before a run is cancelled count.
  const result = '{"program":"many.ez","case":"0","result":"passed","seconds":1}';
  fs.writeFileSync(ez, `#!/bin/sh\necho '${result}'\nexec sleep 20\n`);
  const cancelled = cancellable();
  said.length = 0;
  told = (what) => what === "passed" && cancelled.cancel();
  await controller.profiles.Run({ include: [item] }, cancelled);
  assert.deepEqual(outcome(), ["passed", "skipped", "skipped", "skipped", "skipped", "end"]);
  told = () => undefined;
  ez = process.env.EZ;
  await controller.refreshHandler();
});

test("a session of a case is confined, and its run ends", async () => {
  write("in.ez", "import @std\nusing std\ndo main() { println(input()) }\n");
  write("in.cases/1.in", "5\n");
  await controller.refreshHandler();
  const [, one] = [...itemOf("in.ez").children][0];
  const debug = async (of = token) => {
    said.length = 0;
    warned.length = 0;
    carriedOut.length = 0;
    await controller.profiles.Debug({ include: [one] }, of);
    assert.equal(Object.values(listeners).reduce((sum, some) => sum + some.size, 0), 0);
    // A run would take the results of the cases away.
    assert.deepEqual(said, []);
    return [...warned];
  };
  assert.deepEqual(await debug(), []);
  // The editor shows variables by itself at breakpoints only.
  assert.deepEqual(carriedOut, ["workbench.view.debug"]);
  const { deny, memoryLimit } = started.at(-1);
  assert.deepEqual([deny, memoryLimit], [["net", "exec"], "512M"]);

  // The session of another program with a case of this name does not end it, but cancelling does.
  const cancelled = cancellable();
  let isOther = false;
  begin = () => {
    tellAll("end", { id: "other", configuration: { name: "Case 1" } });
    setTimeout(() => (isOther = true, cancelled.cancel()), 50);
  };
  assert.deepEqual([await debug(cancelled), isOther], [[], true]);

  begin = undefined;
  assert.match(String(await debug()), /has not begun/);
  fs.writeFileSync(path.join(folder, "in.cases", "1.in"), Buffer.from([0xff, 10]));
  assert.match(String(await debug()), /not UTF-8/);
  fs.rmSync(path.join(folder, "in.cases", "1.in"));
  assert.match(String(await debug()), /ENOENT/);
  fs.rmSync(folder, { recursive: true });
});
