// Students at random, each in up to four tabs of one browser: they write, look at examples, links and exercises, open,
// rename and remove files, open cases, take things back, remove earlier texts, load pages again and close them, while the
// storage is full at times.
// Whatever they have written can be reached: it is in an open tab, or in what a later visit shows or lists.
//
//     node lessons.mjs [COUNT] [SEED]
//
// Needs node only. Says with which seed a lesson has failed, and what was done in it.
import { freeCaseName } from "../page/files/cases.js";
import { LocalHistory, isOwn } from "../page/files/history.js";
import { Keeper, TabStore } from "../page/files/keeper.js";
import { Workspace, WrongName } from "../page/files/workspace.js";
import { Room } from "./room.mjs";

const FOLDERS = ["/course-a/", "/course-b/"];
const program = (name, text, ...more) => ({ files: [{ name, text }, ...more], main: name });
const FIRST = program("hello.ez", "do main() {\n    println(1)\n}\n");
const EXAMPLES = [
  program("fizzbuzz.ez", "do main() {\n    fizz()\n}\n"),
  program("main.ez", "do main() {\n    several()\n}\n", { name: "b.ez", text: "do several() {\n}\n" }),
];
const EXERCISE = { name: "main.ez", text: "do main() {\n    link()\n}\n", task: "Link.", cases: [{ name: "1", input: "a", output: "b" }] };
const LINKS = [{ files: [EXERCISE], main: "main.ez" }, program("hello.ez", "do main() {\n    other()\n}\n")];
const STEPS = 40;
/** How much is kept in some lessons, in characters. */
const FEW = 2500;

/** A generator of numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All that was written of a file. */
const wholeOf = ({ text, cases = [], task = "" }) => JSON.stringify([text, cases.map(({ name, input, output }) => [name, input, output]), task]);

const states = { open: ({ text, breakpoints }) => ({ text, breakpoints }), save: ({ text, breakpoints }) => ({ text, breakpoints }) };

/** A page that is open. */
class Tab {
  /** Why the last text was not kept: the user has been told. */
  why;
  undo = undefined;
  /** Whether nothing was done since it was loaded. */
  isUntouched = true;

  constructor(lesson, folder, session, exercise) {
    Object.assign(this, { lesson, folder, session, exercise });
    const history = lesson.history(folder);
    const tab = exercise ? undefined : new TabStore(session, folder);
    this.workspace = new Workspace(states, (exercise ? undefined : tab.read() ?? history.newest()?.content) ?? lesson.first);
    this.keeper = new Keeper(this.workspace, history, tab);
    if (exercise) this.keeper.openExercise(exercise, `#${exercise.files[0].text}`);
    this.wasKept = this.#isKept;
  }

  save() {
    const { length } = this.lesson.local;
    // What another tab has removed is kept anew.
    const isKept = this.isUntouched && this.#isKept;
    this.why = this.keeper.save();
    if (this.wasKept && isKept && this.lesson.local.length > length) throw new Error("a tab in which nothing was done keeps something");
  }

  /** Whether the program as it is has been kept. */
  get #isKept() {
    const textsOf = (content) => JSON.stringify(content.files.map((file) => [file.name, wholeOf(file)]));
    const entries = [...this.lesson.local.items].filter(([key]) => key.startsWith(`ez:${this.folder}:text:`)).map(([, text]) => JSON.parse(text));
    return entries.some(({ isPart, content }) => !isPart && textsOf(content) === textsOf(this.workspace.content()));
  }

  get texts() {
    return this.workspace.content().files.map(wholeOf);
  }

  /** All that can be reached here. */
  get reach() {
    return [...this.texts, ...this.keeper.earlier().flatMap(({ content }) => content.files.map(wholeOf))].join("\n");
  }
}

export class Lesson {
  tabs = [];
  /** The sessions of tabs that were closed, which browsers can open again. */
  closed = [];
  local = new Room();
  /** What was written, and in which folder. @type {Map<string, string>} */
  written = new Map();
  done = [];
  #time = 1;

  constructor(seed) {
    this.random = generator(seed);
    this.most = this.random() < 0.2 ? FEW : undefined;
    const given = new Workspace(states, { files: [{ name: "x", text: "" }], main: "x" });
    new Keeper(given, this.history("/none/")).replace(FIRST);
    this.first = given.content();
    if (this.random() < 0.1) this.#beginOld();
    this.local.removed = (key, value) => this.#drop(key, value);
  }

  history(folder) {
    return new LocalHistory(this.local, folder, () => this.#time++, this.most);
  }

  pick(all) {
    return all[Math.floor(this.random() * all.length)];
  }

  /** An earlier version of the page has kept programs for the whole web space. */
  #beginOld() {
    for (const key of ["ez.program", "ez.before"]) {
      const token = this.#token();
      for (const folder of FOLDERS) this.written.set(`${folder} ${token}`, folder);
      this.local.setItem(key, JSON.stringify(program("old.ez", token)));
    }
  }

  #token() {
    return `t${Math.floor(this.random() * 2 ** 52).toString(36).padStart(12, "0")}`;
  }

  /** What is dropped since there is too much need not be reached any more. */
  #drop(key, value) {
    const folder = FOLDERS.find((one) => key.startsWith(`ez:${one}:`));
    const size = [...this.local.items].filter(([one]) => one.startsWith(`ez:${folder}:text:`)).reduce((sum, [one, text]) => sum + one.length + text.length, 0);
    // There may be one more to come.
    if (!this.most || size < this.most / 2) throw new Error(`${key} is dropped, although there is room`);
    for (const id of this.written.keys()) if (value.includes(id.split(" ")[1])) this.written.delete(id);
  }

  run() {
    for (let step = 0; step < STEPS; step++) {
      this.#step();
      this.check();
    }
    while (this.tabs.length) {
      this.close(this.pick(this.tabs));
      this.check();
    }
  }

  #step() {
    const tab = this.tabs.length ? this.pick(this.tabs) : undefined;
    if (!tab || (this.tabs.length < 4 && this.random() < 0.08)) return this.#open();
    const actions = [
      "write", "write", "write", "write", "addCase", "addCase", "changeCase", "removeCase", "task", "wait", "wait", "wait", "example", "example", "link", "exercise", "openFiles", "openCases", "newFile", "remove", "rename",
      "undo", "undo", "restore", "removeEarlier", "reload", "close", "crash", "erase", "room",
    ];
    const action = this.pick(actions);
    this.done.push(`${this.tabs.indexOf(tab)} ${tab.folder}: ${action}`);
    this[action](tab);
    if (!["wait", "reload", "close", "crash", "room"].includes(action)) tab.isUntouched = false;
    if (this.random() < 0.5 && this.tabs.includes(tab)) tab.save();
  }

  #open() {
    const folder = this.pick(FOLDERS);
    const kind = this.random();
    this.done.push(`open ${folder} ${kind}`);
    const again = this.closed.find((one) => one.folder === folder);
    if (kind < 0.2 && again) return this.tabs.push(new Tab(this, folder, again.session));
    const other = this.tabs.find((one) => one.folder === folder && !one.exercise);
    const copy = new Room();
    if (kind < 0.3 && other) copy.items = new Map(other.session.items);
    this.tabs.push(new Tab(this, folder, copy, kind > 0.8 ? this.pick(LINKS) : undefined));
  }

  write(tab) {
    const file = this.pick(tab.workspace.files);
    const token = this.#token();
    const lines = file.state.text.split("\n");
    const at = Math.floor(this.random() * lines.length);
    if (this.random() < 0.5) lines.splice(at, 0, `// ${token}`);
    else lines[at] += ` ${token}`;
    file.state = { text: lines.join("\n") };
    this.written.set(`${tab.folder} ${token}`, tab.folder);
    tab.undo = undefined;
  }

  /** The user takes away a line: what was in it need not be kept. */
  erase(tab) {
    const file = this.pick(tab.workspace.files);
    const lines = file.state.text.split("\n");
    const gone = this.random() < 0.2 ? lines.splice(0) : lines.splice(Math.floor(this.random() * lines.length), 1);
    file.state = { text: lines.join("\n") };
    tab.undo = undefined;
    for (const id of this.written.keys()) if (gone.some((line) => line.includes(id.split(" ")[1]))) this.written.delete(id);
  }

  /** Gives a file another exercise; what is not in it any more was taken away, and need not be kept, unless that is taken back. */
  #setExercise(tab, file, exercise) {
    const before = { cases: file.cases, task: file.task };
    const gone = wholeOf({ text: "", ...before });
    tab.workspace.setExercise(file, exercise);
    const left = wholeOf({ text: "", cases: file.cases, task: file.task });
    for (const id of this.written.keys()) {
      const [, token] = id.split(" ");
      if (gone.includes(token) && !left.includes(token)) this.written.delete(id);
    }
    tab.undo = undefined;
    return before;
  }

  #newToken(tab) {
    const token = this.#token();
    this.written.set(`${tab.folder} ${token}`, tab.folder);
    return token;
  }

  addCase(tab) {
    const file = this.pick(tab.workspace.files);
    this.#setExercise(tab, file, { cases: [...file.cases, { name: freeCaseName(file.cases), input: this.#newToken(tab), output: "" }] });
  }

  changeCase(tab) {
    const file = this.pick(tab.workspace.files);
    const one = this.pick(file.cases);
    if (one) this.#setExercise(tab, file, { cases: file.cases.map((other) => (other === one ? { ...one, output: this.#newToken(tab) } : other)) });
  }

  removeCase(tab) {
    const file = this.pick(tab.workspace.files);
    const one = this.pick(file.cases);
    if (!one) return;
    const before = this.#setExercise(tab, file, { cases: file.cases.filter((other) => other !== one) });
    tab.undo = () => {
      for (const token of [one.input, one.output]) if (/^t[0-9a-z]{12}$/.test(token)) this.written.set(`${tab.folder} ${token}`, tab.folder);
      tab.workspace.setExercise(file, before);
    };
  }

  task(tab) {
    this.#setExercise(tab, this.pick(tab.workspace.files), { task: this.#newToken(tab) });
  }

  wait(tab) {
    tab.save();
  }

  example(tab) {
    tab.undo = tab.keeper.replace(this.pick(EXAMPLES));
  }

  link(tab) {
    if (tab.exercise) return;
    tab.undo = tab.keeper.replace(this.pick(LINKS));
  }

  exercise(tab) {
    if (!tab.exercise) return;
    tab.exercise = this.pick(LINKS);
    tab.keeper.openExercise(tab.exercise, `#${tab.exercise.files[0].text}`);
    tab.undo = undefined;
  }

  openFiles(tab) {
    const names = [this.pick(tab.workspace.files).name, "main.ez", "disk.ez"].slice(0, 1 + Math.floor(this.random() * 2));
    tab.undo = tab.keeper.open([...new Set(names)].map((name) => ({ name, text: `// of the disk ${this.random()}` }))).undo;
  }

  openCases(tab) {
    const { cases } = tab.workspace.main;
    const name = this.pick(cases)?.name ?? "1";
    tab.undo = tab.keeper.openCases([{ name, input: "", output: `of the disk ${this.random()}` }]).undo;
  }

  newFile(tab) {
    const { workspace } = tab;
    const name = workspace.at("b.ez") ? workspace.freeName() : "b.ez";
    workspace.show(workspace.add({ name, text: "" }));
    tab.undo = undefined;
  }

  remove(tab) {
    if (tab.workspace.files.length > 1) tab.undo = tab.keeper.remove(this.pick(tab.workspace.files));
  }

  rename(tab) {
    try {
      tab.workspace.rename(this.pick(tab.workspace.files), this.pick(["main.ez", "b.ez", "c.ez", "hello.ez"]));
    } catch (error) {
      if (!(error instanceof WrongName)) throw error;
    }
    tab.undo = undefined;
  }

  undo(tab) {
    tab.undo?.();
    tab.undo = undefined;
  }

  restore(tab) {
    const all = tab.keeper.earlier();
    if (all.length) tab.undo = tab.keeper.restore(this.pick(all)).undo;
  }

  /** The user removes what was written before: what is in no open tab need not be kept any more. */
  removeEarlier(tab) {
    const all = tab.keeper.earlier();
    if (!all.length) return;
    const entry = this.pick(all);
    const { removed } = this.local;
    this.local.removed = () => {};
    tab.keeper.forget(entry);
    this.local.removed = removed;
    const [gone, open] = [JSON.stringify(entry), this.tabs.flatMap(({ folder, texts }) => (folder === tab.folder ? texts : [])).join("\n")];
    for (const [id, folder] of this.written) {
      const [, token] = id.split(" ");
      if (folder === tab.folder && gone.includes(token) && !open.includes(token)) this.written.delete(id);
    }
  }

  reload(tab) {
    this.#leave(tab);
    this.tabs[this.tabs.indexOf(tab)] = new Tab(this, tab.folder, tab.session, tab.exercise);
  }

  close(tab) {
    this.#leave(tab);
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    if (!tab.exercise) this.closed.unshift(tab);
  }

  /** The page is told that it goes. Who was told that nothing is kept knows what is lost. */
  #leave(tab) {
    tab.save();
    if (tab.why) this.#forget(tab);
  }

  /** The browser ends without a word: what was not kept is lost. */
  crash(tab) {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    this.#forget(tab);
  }

  #forget(tab) {
    const others = this.#reach(tab.folder, this.tabs.filter((one) => one !== tab));
    for (const [id, folder] of this.written) if (folder === tab.folder && !others.includes(id.split(" ")[1])) this.written.delete(id);
  }

  /** The storage is full, or has room again. */
  room() {
    this.local.room = this.random() < 0.5 ? Infinity : this.local.size + Math.floor(this.random() * 300);
  }

  /** What can be reached in a folder, in these tabs and at a new visit. */
  #reach(folder, tabs = this.tabs) {
    return [...tabs.filter((tab) => tab.folder === folder), new Tab(this, folder, new Room())].map(({ reach }) => reach).join("\n");
  }

  check() {
    for (const folder of FOLDERS) {
      const reach = this.#reach(folder);
      for (const [id, where] of this.written) {
        if (where === folder && !reach.includes(id.split(" ")[1])) throw new Error(`${id} is lost`);
      }
    }
    for (const [key, text] of this.local.items) {
      if (key.includes(":text:") && !isOwn(JSON.parse(text).content)) throw new Error(`${text} is kept, although nobody has written it`);
    }
  }
}

/** Runs lessons; says how many were run, or which has failed. */
function run(count, first) {
  for (let seed = first; seed < first + count; seed++) {
    const lesson = new Lesson(seed);
    try {
      lesson.run();
    } catch (error) {
      console.error(`lesson ${seed}: ${error.stack}\n${lesson.done.join("\n")}`);
      return 1;
    }
  }
  console.log(`Nothing was lost in ${count} lessons.`);
  return 0;
}

const [count = "200", seed = "1"] = process.argv.slice(2);
process.exitCode = run(Number(count), Number(seed));
