// The cases of programs in the Testing view: what `ez test` says of them.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { debugCase } = require("./debugcase");

// The folders and files of cases.
const FOLDERS = "**/{*.cases,cases,tests}";
const FILES = `${FOLDERS}/*.{in,out,ans,args,status}`;

// How many characters a line of ez may have, and what it says besides.
const MAX_TEXT = 64 << 20;

// How many cases are named in a call: command lines have a limit.
const MAX_NAMED = 100;

// How many programs are asked for their cases at a time.
const MAX_LISTED = 4;

// How long changed files are waited for, in milliseconds: a case is several files.
const QUIET = 300;

// The programs to which a file of a case may belong.
function programsOf(file) {
  const folder = path.dirname(file);
  const beside = path.dirname(folder);
  const name = path.basename(folder);
  if (name.endsWith(".cases")) {
    return [path.join(beside, `${name.slice(0, -".cases".length)}.ez`)];
  }
  if (name === "cases") {
    return [path.join(beside, "main.ez")];
  }
  const files = fs.existsSync(beside) ? fs.readdirSync(beside) : [];
  return files.filter((file) => file.endsWith(".ez")).map((file) => path.join(beside, file));
}

// The object in a line that ez has printed; fails with a sentence if there is none.
function objectOf(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    // Said below.
  }
  if (!value || typeof value !== "object" || typeof value.program !== "string") {
    throw new Error(`ez has printed what this extension does not understand: ${line.slice(0, 80)}`);
  }
  return value;
}

// A message at a line of a file, whose name is relative to a folder.
function placed(message, folder, { file, line }) {
  const place = new vscode.Position(line - 1, 0);
  message.location = new vscode.Location(vscode.Uri.file(path.resolve(folder, file)), place);
  return message;
}

// A list in parts of at most this many.
function parts(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size));
}

class Cases {
  // `usable`: gives the program ez, or fails with the reason.
  constructor(usable, plain) {
    this.usable = usable;
    this.plain = plain;
    // What is known of the case of an item.
    this.known = new WeakMap();
    // Programs whose cases may have changed.
    this.waiting = new Set();
  }

  activate(context) {
    this.controller = vscode.tests.createTestController("ez.cases", "EZ Cases");
    this.controller.resolveHandler = (item) => (item ? this.list(item.uri.fsPath) : this.find());
    this.controller.refreshHandler = () => this.find();
    const { Run, Debug } = vscode.TestRunProfileKind;
    const profile = (label, kind, handler, isDefault) =>
      this.controller.createRunProfile(label, kind, (request, token) => handler.call(this, request, token), isDefault);
    profile("Run", Run, this.run, true);
    profile("Debug", Debug, this.debug, true);
    // `programs`: those that a created, changed or deleted file or folder tells of.
    const watch = (pattern, programs, ignored) => {
      const watcher = vscode.workspace.createFileSystemWatcher(pattern, ...ignored);
      const changed = ({ fsPath }) => this.changed(programs(fsPath));
      const told = [watcher.onDidCreate(changed), watcher.onDidDelete(changed), watcher.onDidChange(changed)];
      context.subscriptions.push(watcher, ...told);
    };
    context.subscriptions.push(this.controller);
    watch(FILES, programsOf, []);
    // Of a folder that is moved the editor tells nothing but its name, of one that is deleted not even what was in it.
    watch(FOLDERS, (folder) => programsOf(path.join(folder, "any")), [false, true, true]);
    watch("**/*.ez", (program) => [program], [false, true, true]);
    watch("**", () => [], [true, true, false]);
  }

  // Runs ez; `told` gets each object that it prints, as soon as it is printed. Gives what ez says besides.
  async ez(args, folder, told, token) {
    const options = { cwd: folder, stdio: ["ignore", "pipe", "pipe"] };
    const child = spawn(await this.usable(), ["test", "--json", ...args], options);
    const stop = token ? token.onCancellationRequested(() => child.kill()) : { dispose() {} };
    let [rest, errors, problem] = ["", "", undefined];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      // The last line is only whole with its end.
      rest = lines.pop();
      try {
        lines.concat(rest.length > MAX_TEXT ? rest : []).forEach((line) => told(objectOf(line)));
      } catch (error) {
        problem = problem || error;
        child.kill();
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text) => (errors = (errors + text).slice(0, MAX_TEXT)));
    const signal = await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (_, signal) => resolve(signal));
    }).finally(() => stop.dispose());
    if (problem) {
      throw problem;
    }
    if (signal && !(token && token.isCancellationRequested)) {
      throw new Error(`ez was ended by ${signal}.`);
    }
    return errors.trim().replace(/^Error: /, "");
  }

  // Finds the cases of all programs of the workspace.
  find() {
    this.finding = this.programs().then((programs) => this.listAll([...programs]));
    return this.finding;
  }

  // The programs of the workspace that have files of cases. Others are not shown any more.
  async programs() {
    const files = await vscode.workspace.findFiles(FILES, "**/node_modules/**");
    // One file of each folder tells its programs.
    const folders = new Map(files.map(({ fsPath }) => [path.dirname(fsPath), fsPath]));
    const programs = new Set([...folders.values()].flatMap(programsOf).filter((program) => fs.existsSync(program)));
    for (const [id] of [...this.controller.items]) {
      if (!programs.has(id)) {
        this.controller.items.delete(id);
      }
    }
    return programs;
  }

  // Shows the cases of programs, some at a time.
  async listAll(programs) {
    for (const some of parts(programs, MAX_LISTED)) {
      await Promise.all(some.map((program) => this.list(program)));
    }
  }

  // The cases of programs may have changed, or there may be fewer programs.
  changed(programs) {
    clearTimeout(this.timer);
    programs.forEach((program) => this.waiting.add(program));
    this.timer = setTimeout(async () => {
      const some = [...this.waiting];
      this.waiting.clear();
      const all = await this.programs();
      await this.listAll(some.filter((program) => all.has(program)));
    }, QUIET);
  }

  // Shows the cases of a program.
  async list(program) {
    if (!fs.existsSync(program)) {
      return this.controller.items.delete(program);
    }
    const folder = path.dirname(program);
    let found;
    let problem;
    let isAnswered = true;
    try {
      problem = await this.ez(["--list", "--", path.basename(program)], folder, (value) => (found = found || value));
    } catch (error) {
      problem = error.message;
      isAnswered = false;
    }
    const uri = vscode.Uri.file(program);
    const item = this.controller.items.get(program)
      || this.controller.createTestItem(program, vscode.workspace.asRelativePath(uri), uri);
    item.range = new vscode.Range(0, 0, 0, 0);
    item.error = problem ? this.plain(problem) : undefined;
    this.controller.items.add(item);
    if (!isAnswered) {
      // The cases that were there may still be.
      return;
    }
    const cases = found && Array.isArray(found.list) ? found.list : [];
    item.children.replace(cases.map((one) => {
      const file = one.output || one.input;
      // Results may be on their way to an item that is there.
      const made = item.children.get(one.case)
        || this.controller.createTestItem(one.case, one.case, file ? vscode.Uri.file(path.resolve(folder, file)) : uri);
      // Messages without a place of their own are shown there.
      made.range = new vscode.Range(0, 0, 0, 0);
      this.known.set(made, { program, folder, ...one });
      return made;
    }));
  }

  // The items of cases that a request is about, by program.
  asked(request) {
    const programs = new Map();
    const excluded = new Set(request.exclude || []);
    const add = (item) => {
      if (excluded.has(item)) {
        return;
      }
      const known = this.known.get(item);
      if (!known) {
        item.children.forEach(add);
      } else {
        programs.set(known.program, [...(programs.get(known.program) || []), item]);
      }
    };
    const all = request.include || [...this.controller.items].map(([, item]) => item);
    all.forEach(add);
    return programs;
  }

  // Runs cases, one program after the other: `ez test` uses all cores.
  async run(request, token) {
    // All are asked for, maybe before they are found.
    await (this.finding || this.find());
    const run = this.controller.createTestRun(request);
    try {
      for (const [program, items] of this.asked(request)) {
        const whole = this.controller.items.get(program);
        const isWhole = whole && whole.children.size === items.length;
        for (const some of isWhole ? [items] : parts(items, MAX_NAMED)) {
          if (token.isCancellationRequested) {
            return;
          }
          some.forEach((item) => run.started(item));
          await this.runSome(run, program, some, isWhole, token);
        }
      }
    } finally {
      run.end();
    }
  }

  // Runs cases of a program: all, or some.
  async runSome(run, program, items, isWhole, token) {
    const only = isWhole ? [] : items.map((item) => `--cases=${this.known.get(item).file}`);
    const waiting = new Map(items.map((item) => [item.label, item]));
    let why;
    const told = (value) => {
      if (typeof value.case === "string" && typeof value.result === "string") {
        const item = waiting.get(value.case);
        if (item) {
          waiting.delete(value.case);
          this.tell(run, item, value);
        }
      } else if (value.errors) {
        why = value.errors;
      } else {
        throw new Error("This ez reports cases in another way than this extension expects.");
      }
    };
    try {
      if (!fs.existsSync(program)) {
        this.controller.items.delete(program);
        throw new Error(`${program} is not there any more.`);
      }
      const args = ["--each", ...only, "--", path.basename(program)];
      why = (await this.ez(args, path.dirname(program), told, token)) || why;
    } catch (error) {
      why = error.message;
    }
    if (!why && !token.isCancellationRequested) {
      why = "ez has not reported this case.";
    }
    waiting.forEach((item) => (why ? this.errored(run, item, why) : run.skipped(item)));
  }

  // Tells what has become of a case.
  tell(run, item, result) {
    if (result.result === "notRun" || result.kind === "notRun") {
      return this.errored(run, item, result.errors || result.message);
    }
    const time = result.seconds * 1000;
    if (result.result === "passed") {
      return run.passed(item, time);
    }
    const { folder } = this.known.get(item);
    const lines = [result.message, ...(result.remarks || [])];
    // Beside a diff the editor shows only the first line of a message: what has caused it are messages of their own,
    // each at its statement. Of several, it opens the last one.
    const message = result.line === undefined
      ? new vscode.TestMessage(lines.join("\n"))
      : vscode.TestMessage.diff(lines.join("; "), result.expected || "", result.printed || "");
    const causes = (result.cause || []).map((cause) => placed(new vscode.TestMessage(cause.text), folder, cause));
    this.print(run, item, [...lines, ...(result.cause || []).map(({ indent, text }) => "  ".repeat(indent) + text)]);
    run.failed(item, [...causes.reverse(), result.at ? placed(message, folder, result.at) : message], time);
  }

  // Tells why a case could not be run.
  errored(run, item, why) {
    if (!why) {
      return run.skipped(item);
    }
    const message = new vscode.TestMessage(why);
    const found = /^ *--> (.+):(\d+):\d+$/m.exec(why);
    this.print(run, item, why.trim().split("\n"));
    const { folder } = this.known.get(item);
    run.errored(item, found ? placed(message, folder, { file: found[1], line: Number(found[2]) }) : message);
  }

  // Prints what is said about a case where the editor shows the results of a run.
  print(run, item, lines) {
    const title = `${vscode.workspace.asRelativePath(this.known.get(item).program)}: ${item.label}`;
    run.appendOutput([title, ...lines.map((line) => `  ${line}`), "", ""].join("\r\n"), undefined, item);
  }

  // Debugs cases, one after the other. They keep their results: it is no run in which they would get one.
  async debug(request, token) {
    for (const item of [...this.asked(request).values()].flat()) {
      if (token.isCancellationRequested) {
        break;
      }
      try {
        await debugCase(this.known.get(item), item.uri, token);
      } catch (error) {
        vscode.window.showErrorMessage(this.plain(error.message));
      }
    }
  }
}

module.exports = { Cases, programsOf };
