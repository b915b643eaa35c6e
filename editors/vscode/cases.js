// The cases of programs in the Testing view: what `ez test` says of them, and debug sessions that stop at the first
// difference.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

// The files of cases, and how much is taken of what ez says.
const FILES = "**/{*.cases,cases,tests}/*.{in,out,ans,args,status}";
const MAX_FILES = 5000;
const MAX_OUTPUT = 64 << 20;

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

// A pattern that only this name matches.
function exactly(name) {
  return name.replace(/[?*[\]]/g, "[$&]");
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

  // Runs ez; the lines that it prints as values, and what it says besides.
  async ez(args, folder, token) {
    const ez = await this.usable();
    return new Promise((resolve, reject) => {
      const child = execFile(ez, ["test", "--json", ...args], { cwd: folder, maxBuffer: MAX_OUTPUT }, (error, out, err) => {
        if (error && typeof error.code !== "number" && !error.killed) {
          return reject(error);
        }
        const lines = out.split("\n").filter((line) => line);
        resolve({ values: lines.map((line) => JSON.parse(line)), errors: err.trim() });
      });
      if (token) {
        token.onCancellationRequested(() => child.kill());
      }
    });
  }

  // Finds the cases of all programs of the workspace.
  async find() {
    const files = await vscode.workspace.findFiles(FILES, "**/node_modules/**", MAX_FILES);
    const programs = new Set(files.flatMap(({ fsPath }) => programsOf(fsPath)));
    for (const [id] of [...this.controller.items]) {
      if (!programs.has(id)) {
        this.controller.items.delete(id);
      }
    }
    await Promise.all([...programs].map((program) => this.list(program)));
  }

  // A file of a case has changed.
  changed(file) {
    clearTimeout(this.timer);
    this.waiting = (this.waiting || new Set());
    programsOf(file).forEach((program) => this.waiting.add(program));
    this.timer = setTimeout(() => {
      const programs = [...this.waiting];
      this.waiting.clear();
      programs.forEach((program) => this.list(program));
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
    try {
      const { values, errors } = await this.ez(["--list", path.basename(program)], folder);
      [found, problem] = [values[0], errors];
    } catch (error) {
      problem = error.message;
    }
    const uri = vscode.Uri.file(program);
    const item = this.controller.items.get(program)
      || this.controller.createTestItem(program, vscode.workspace.asRelativePath(uri), uri);
    item.error = problem ? this.plain(problem) : undefined;
    const cases = found ? found.list : [];
    item.children.replace(cases.map((one) => {
      const file = one.output || one.input;
      const made = this.controller.createTestItem(
        `${program}\0${one.case}`, one.case, file ? vscode.Uri.file(path.resolve(folder, file)) : uri);
      this.known.set(made, { program, folder, ...one });
      return made;
    }));
    this.controller.items.add(item);
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

  async run(request, token) {
    const run = this.controller.createTestRun(request);
    for (const [program, items] of this.asked(request)) {
      if (token.isCancellationRequested) {
        break;
      }
      items.forEach((item) => run.started(item));
      const whole = this.controller.items.get(program);
      const groups = whole && whole.children.size === items.length ? [items] : items.map((item) => [item]);
      await Promise.all(groups.map((group) => this.runSome(run, program, group, groups.length > 1, token)));
    }
    run.end();
  }

  // Runs cases of a program: all, or only one.
  async runSome(run, program, items, isOne, token) {
    const only = isOne ? ["--only", exactly(items[0].label)] : [];
    try {
      const { values, errors } = await this.ez([...only, path.basename(program)], path.dirname(program), token);
      const [of] = values;
      const results = new Map((of ? of.results : []).map((result) => [result.case, result]));
      for (const item of items) {
        this.tell(run, item, results.get(item.label), (of && of.errors) || errors);
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
    const cause = (result.cause || []).map(({ indent, text }) => "  ".repeat(indent) + text);
    const text = [result.message, ...(result.remarks || []), ...cause].join("\n");
    const hasBoth = result.line !== undefined;
    const message = hasBoth
      ? vscode.TestMessage.diff(text, result.expected || "", result.printed || "")
      : new vscode.TestMessage(text);
    if (result.at) {
      const { folder } = this.known.get(item);
      const place = new vscode.Position(result.at.line - 1, 0);
      message.location = new vscode.Location(vscode.Uri.file(path.resolve(folder, result.at.file)), place);
    }
    run.failed(item, message, time);
  }

  // Debugs cases, one after the other.
  async debug(request, token) {
    const run = this.controller.createTestRun(request);
    for (const item of [...this.asked(request).values()].flat()) {
      if (token.isCancellationRequested) {
        break;
      }
      run.started(item);
      await this.debugOne(item);
    }
    run.end();
  }

  async debugOne(item) {
    const { program, folder, input, output, arguments: args, case: name } = this.known.get(item);
    const configuration = {
      type: "ez",
      request: "launch",
      name: `Case ${name}`,
      program,
      cwd: folder,
      args,
      input: input ? fs.readFileSync(path.resolve(folder, input), "utf8") : "",
      history: true,
      stopOnEntry: false,
    };
    if (output) {
      configuration.expectedOutput = path.resolve(folder, output);
    }
    const ended = new Promise((resolve) => {
      const watched = vscode.debug.onDidTerminateDebugSession((session) => {
        if (session.configuration.name === configuration.name) {
          watched.dispose();
          resolve();
        }
      });
    });
    if (await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(item.uri), configuration)) {
      await ended;
    }
  }
}

module.exports = { Cases, exactly, programsOf };
