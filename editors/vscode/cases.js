// The cases of programs in the Testing view: what `ez test` says of them.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { debugCase } = require("./debugcase");

// The files of cases, and how many bytes are taken of what ez says.
const FILES = "**/{*.cases,cases,tests}/*.{in,out,ans,args,status}";
const MAX_OUTPUT = 64 << 20;

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
    const watcher = vscode.workspace.createFileSystemWatcher(FILES);
    const changed = ({ fsPath }) => this.changed(fsPath);
    context.subscriptions.push(
      this.controller,
      watcher,
      watcher.onDidCreate(changed),
      watcher.onDidDelete(changed),
      watcher.onDidChange(changed),
    );
  }

  // Runs ez; the objects that it prints, and what it says besides. What it has printed before it was cancelled counts.
  async ez(args, folder, token) {
    const ez = await this.usable();
    const { error, out, err } = await new Promise((resolve) => {
      const options = { cwd: folder, maxBuffer: MAX_OUTPUT };
      const child = execFile(ez, ["test", "--json", ...args], options, (error, out, err) => {
        stop.dispose();
        resolve({ error, out, err });
      });
      const stop = token ? token.onCancellationRequested(() => child.kill()) : { dispose() {} };
    });
    const isCancelled = token && token.isCancellationRequested;
    if (error && typeof error.code !== "number" && !isCancelled) {
      throw new Error(error.signal ? `ez was ended by ${error.signal}.` : error.message);
    }
    const lines = out.split("\n");
    // The last line is only whole with its end.
    lines.pop();
    return { values: lines.map(objectOf), errors: err.trim().replace(/^Error: /, "") };
  }

  // Finds the cases of all programs of the workspace.
  async find() {
    const files = await vscode.workspace.findFiles(FILES, "**/node_modules/**");
    // One file of each folder tells its programs.
    const folders = new Map(files.map(({ fsPath }) => [path.dirname(fsPath), fsPath]));
    const programs = new Set([...folders.values()].flatMap(programsOf));
    for (const [id] of [...this.controller.items]) {
      if (!programs.has(id)) {
        this.controller.items.delete(id);
      }
    }
    await this.listAll([...programs]);
  }

  // Shows the cases of programs, some at a time.
  async listAll(programs) {
    for (const some of parts(programs, MAX_LISTED)) {
      await Promise.all(some.map((program) => this.list(program)));
    }
  }

  // A file of a case has changed.
  changed(file) {
    clearTimeout(this.timer);
    this.waiting = (this.waiting || new Set());
    programsOf(file).forEach((program) => this.waiting.add(program));
    this.timer = setTimeout(() => {
      const programs = [...this.waiting];
      this.waiting.clear();
      this.listAll(programs);
    }, QUIET);
  }

  // Shows the cases of a program, if it has any.
  async list(program) {
    if (!fs.existsSync(program)) {
      return this.controller.items.delete(program);
    }
    const folder = path.dirname(program);
    let found;
    let problem;
    let isAnswered = true;
    try {
      const { values, errors } = await this.ez(["--list", "--", path.basename(program)], folder);
      [found, problem] = [values[0], errors];
    } catch (error) {
      problem = error.message;
      isAnswered = false;
    }
    const uri = vscode.Uri.file(program);
    const item = this.controller.items.get(program)
      || this.controller.createTestItem(program, vscode.workspace.asRelativePath(uri), uri);
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
    try {
      if (!fs.existsSync(program)) {
        this.controller.items.delete(program);
        throw new Error(`${program} is not there any more.`);
      }
      const args = ["--each", ...only, "--", path.basename(program)];
      const { values, errors } = await this.ez(args, path.dirname(program), token);
      const results = new Map();
      let why = errors || (token.isCancellationRequested ? "" : "ez has not reported this case.");
      for (const value of values) {
        why = value.errors || why;
        if (typeof value.case === "string" && typeof value.result === "string") {
          results.set(value.case, value);
        } else if (!value.errors) {
          throw new Error("This ez reports cases in another way than this extension expects.");
        }
      }
      for (const item of items) {
        this.tell(run, item, results.get(item.label), why);
      }
    } catch (error) {
      items.forEach((item) => run.errored(item, new vscode.TestMessage(this.plain(error.message))));
    }
  }

  // Tells what has become of a case.
  tell(run, item, result, errors) {
    if (!result || result.result === "notRun" || result.kind === "notRun") {
      const why = errors || (result && result.message);
      return why ? run.errored(item, new vscode.TestMessage(why)) : run.skipped(item);
    }
    const time = result.seconds * 1000;
    if (result.result === "passed") {
      return run.passed(item, time);
    }
    // Beside a diff the editor shows only the first line of a message: what has caused it are messages of their own,
    // each at its statement. Of several, it opens the last one.
    const { folder } = this.known.get(item);
    const text = [result.message, ...(result.remarks || [])].join("; ");
    const message = result.line === undefined
      ? new vscode.TestMessage(text)
      : vscode.TestMessage.diff(text, result.expected || "", result.printed || "");
    const causes = (result.cause || []).map((cause) => placed(new vscode.TestMessage(cause.text), folder, cause));
    run.failed(item, [...causes.reverse(), result.at ? placed(message, folder, result.at) : message], time);
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
