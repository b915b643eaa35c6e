// Makes the parts of the page and connects them.
import { BreakpointSync } from "./engine/breakpoint-sync.js";
import { CaseRuns } from "./engine/case-runs.js";
import { Checker } from "./engine/checker.js";
import { OtherBreakpoints } from "./engine/other-breakpoints.js";
import { Debuggee } from "./engine/debuggee.js";
import { LastRun } from "./engine/last-run.js";
import { makeLead } from "./engine/lead.js";
import { ownWorkers } from "./engine/own-workers.js";
import { Editor } from "./editor/editor.js";
import { isOtherProgram, lineInLoaded, setLoaded } from "./editor/loaded.js";
import { showProblems } from "./editor/problems.js";
import { showFiles } from "./files/file-tabs.js";
import { elsewhere, embeddedBy } from "./files/embed.js";
import { showMenus } from "./files/menus.js";
import { BrokenLink, contentOf, plainFragment } from "./files/share.js";
import { keepAsked } from "./files/asked.js";
import { asGiven, LocalHistory, sumOf } from "./files/history.js";
import { Keeper, TabStore } from "./files/keeper.js";
import { FOLDER, storage } from "./files/store.js";
import { tell, toldBy } from "./files/tell.js";
import { Workspace } from "./files/workspace.js";
import { textButton } from "./base/controls.js";
import { keepFocus } from "./base/focus.js";
import { Notice } from "./base/notice.js";
import { actions, listenToKeys, moreActions, showActions } from "./panes/actions.js";
import { editBreakpoint, showBreakpoints } from "./panes/breakpoints.js";
import { showCalls } from "./panes/calls.js";
import { Cases } from "./panes/cases.js";
import { showConsole } from "./panes/console.js";
import { explain } from "./panes/explanation.js";
import { endingText, showHappened } from "./panes/happened.js";
import { hovered } from "./panes/hover.js";
import { InputLine } from "./panes/input.js";
import { keysButton } from "./panes/keys.js";
import { followReasons } from "./panes/notices.js";
import { Origins } from "./panes/origins.js";
import { Output } from "./panes/output.js";
import { Picture } from "./panes/picture.js";
import { goneText, Position } from "./panes/position.js";
import { Problems, reportElement } from "./panes/problems.js";
import { makeRegions } from "./panes/regions.js";
import { showStepTargets } from "./panes/step-targets.js";
import { makeTabs } from "./panes/tabs.js";
import { showTask } from "./panes/task.js";
import { showTimeline } from "./panes/timeline.js";
import { Variables } from "./panes/variables.js";
import { Watches } from "./panes/watches.js";
import { WrittenFiles } from "./panes/written.js";
import { make, visible } from "../shared/elements.js";
import { FIRST } from "./files/examples.js";
import { makeGuide, offer } from "./guide.js";
import { offerTour } from "./files/tour.js";
import { workOffline } from "./offline/offline.js";

/** How long after the last key the program is checked, in milliseconds. */
const CHECKED_AFTER = 300;

/** @typedef {import("./engine/session.js").Diagnostic} Problem */

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

find("incomplete").remove();
const embedded = embeddedBy(location.search);
const workers = ownWorkers();
const output = new Output(find("output"));
const debuggee = new Debuggee(workers, () => output.shown());
/** @type {Editor} */
const editor = new Editor(find("editor"), {
  isReadOnly: embedded?.isReadOnly ?? false,
  hover: (expression) => hovered(debuggee, editor.file?.state, expression),
  editBreakpoint: (file, at) => editBreakpoint(file, at, editor),
});
const localHistory = new LocalHistory(storage("localStorage"), FOLDER);
const tabStore = embedded ? undefined : new TabStore(storage("sessionStorage"), FOLDER);
const workspace = new Workspace(editor, (embedded ? undefined : tabStore?.read() ?? localHistory.newest()?.content) ?? asGiven(FIRST));
const keeper = new Keeper(workspace, localHistory, tabStore);
// Until its link is read.
if (embedded) keeper.openExercise(FIRST, "");
const notice = new Notice(find("notice"));
followReasons(notice, debuggee, editor, workspace);
keepFocus();
const regions = makeRegions(find("regions"));
const below = makeTabs(find("below-tabs"), ["printed", "problems", "console", "origins", "cases"].map(find));
const picture = new Picture(find("picture"), debuggee);
const stateTabs = makeTabs(find("state-tabs"), ["inspect", "picture"].map(find), ({ id }) => picture.want(id === "picture"));
const position = new Position(debuggee, workspace, editor, (text) => notice.say("answer", text));
/** What is wrong with breakpoints; nothing any more. @param {string} [text] */
const sayOfBreakpoints = (text) => (text ? notice.say("breakpoints", text) : notice.over("breakpoints"));
const breakpoints = new BreakpointSync(debuggee, workspace, editor, sayOfBreakpoints);
const others = new OtherBreakpoints(debuggee, sayOfBreakpoints);
const origins = new Origins(find("origins"), debuggee, {
  reveal: () => { regions.show("below"); below.show("origins"); },
  say: (text) => notice.say("answer", text),
  mark: (where) => position.part(where),
  watch: (expression) => watches.add(expression),
});
const variables = new Variables(find("variables"), debuggee, (node) => origins.choices(node));
const watches = new Watches(find("watches"), debuggee, (node) => origins.choices(node));
if (embedded) keepAsked([storage("localStorage")], sumOf(plainFragment(location.hash)), watches, others);
else keepAsked([storage("sessionStorage"), storage("localStorage")], "", watches, others);
output.on("printer", (offset) => origins.printer(offset));
variables.on("watched", (asked) => others.addData(asked));
variables.on("known", (known) => position.beside(known));
/** What can be done with a report. @param {(where: import("./panes/position.js").Where) => void} go Goes to its place. */
const followed = (go) => ({ go: (/** @type {Problem} */ { location }) => { if (location) { regions.show("program"); go(location); } }, explain });
const problems = new Problems(find("problems"), { ...followed((where) => position.go(where)), counted: (count) => below.titled("problems", count ? `Problems (${count})` : "Problems") });

// The editor and its files.
workspace.on("shown", (file) => editor.show(file));
editor.show(workspace.shown);
// What runs is another program by then.
workspace.on("replaced", () => debuggee.end());
const entitle = () => { document.title = `${visible(workspace.main.name)} – EZ`; };
workspace.on("changed", entitle);
entitle();
showFiles(find("files"), workspace, embedded ? undefined : (file) => menus.done(`${file.name} is not in the program any more.`, keeper.remove(file)));
showBreakpoints(find("breakpoints"), workspace, editor, others, (where) => { regions.show("program"); position.go(where); });

/** @type {string | undefined} */
let unkept;
const save = delayed(500, () => {
  const why = keeper.save();
  if (why === unkept) return;
  unkept = why;
  if (!why) return notice.over("keeping");
  const remedy = embedded ? "open it in a tab, and save it there." : "save it before you leave.";
  /** @type {Record<string, string>} */
  const known = { denied: `This browser cannot keep the program: ${remedy}`, full: `The browser has no room left to keep what is written here: ${remedy}` };
  notice.say("keeping", known[why] ?? `The program cannot be kept. ${why}`, why === "full" && !embedded ? { text: "Remove earlier texts …", action: menus.earlier } : undefined);
});
for (const event of /** @type {const} */ (["changed", "shown"])) workspace.on(event, save.later);
for (const event of /** @type {const} */ (["text", "breakpoints"])) editor.on(event, save.later);
addEventListener("pagehide", save.now);
// Some devices end pages that are hidden without a word.
document.addEventListener("visibilitychange", () => { if (document.hidden) save.now(); });

// Programs of links, files and examples.
const menus = showMenus(find("menus"), workspace, keeper, notice, save.now, !embedded?.isReadOnly);
/** What the frame was made with. */
let exercise = FIRST;
const openLink = async () => {
  try {
    const hash = plainFragment(location.hash);
    const content = await contentOf(hash);
    if (!content) return;
    exercise = content;
    if (embedded) return void (embedded.isReadOnly ? keeper.replace(content) : keeper.openExercise(content, hash));
    // A later visit shows the program as it is by then.
    history.replaceState(null, "", location.pathname + location.search);
    menus.replace(content, "This program is from a link.");
  } catch (error) {
    if (error instanceof BrokenLink) notice.say("link", error.message);
    else throw error;
  }
};
addEventListener("hashchange", openLink);
openLink();

/** @param {import("./files/embed.js").Embedded} wanted */
function showEmbedded({ panes, isDebugged, isReadOnly }) {
  document.body.dataset.embed = panes.join(" ");
  document.body.classList.toggle("run-only", !isDebugged);
  if (!isReadOnly) {
    const earlier = textButton("Earlier texts", menus.earlier, "link");
    const look = () => { earlier.hidden = keeper.earlierHere().length === 0; };
    workspace.on("replaced", look);
    look();
    find("time").append(textButton("Begin again", () => menus.replace(exercise, "The program is that of the exercise again."), "link"), earlier);
  }
  find("time").append(elsewhere(workspace, editor));
}

/** Lets the page around this one, of the same folder, act. */
function beGuided() {
  const showState = (/** @type {string} */ pane) => { regions.show("state"); stateTabs.show(pane); };
  const guide = makeGuide({ debuggee, workspace, editor, watches, origins, launch, showState, lead, open: (content, name, panes) => {
    save.now();
    exercise = content;
    keeper.openExercise(content, name);
    document.body.dataset.embed = panes.replaceAll(",", " ");
    stateTabs.show("inspect");
    regions.show("program");
    output.clear();
    showHappenedFirst();
  } });
  offer(guide);
}

// Reports while the program is written.
const checker = new Checker(workers, (found) => showFound(found));
const check = delayed(CHECKED_AFTER, () => checker.check(workspace.program()));
editor.on("text", check.later);
// An error of a run that is over is not one of the text that is written now.
editor.on("text", () => { if (debuggee.status === "idle") position.clear(); });
workspace.on("changed", check.later);
check.later();

/** Shows what is wrong in the program. @param {Problem[]} found */
function showFound(found) {
  problems.show(found);
  for (const file of workspace.files) {
    const here = found.filter(({ location }) => location && workspace.at(location.file) === file);
    editor.change(file, showProblems(file.state, here, explain));
  }
}

// Running and debugging.
/** What has led the program to a place, if something has. @type {import("./engine/case-run.js").Texts | undefined} */
let led;
/** @param {boolean} isDebugged @param {import("./engine/case-run.js").Texts} [leading] What it reads, and has to print. */
function launch(isDebugged, leading) {
  led = leading;
  // From here on, lines of the engine are those of these texts.
  for (const file of workspace.files) editor.change(file, { effects: setLoaded.of(null) });
  workspace.load();
  const setup = { isDebugged, watches: watches.expressions };
  if (leading) debuggee.launch(workspace.program(), { ...setup, breakpoints: breakpoints.later(), functions: [], input: leading.input, expected: leading.output });
  else debuggee.launch(workspace.program(), { ...setup, breakpoints: isDebugged ? breakpoints.all() : {}, functions: others.requested, input: inputLine.gathered });
}
const lead = makeLead(debuggee, (texts) => launch(true, texts), () => { regions.show("program"); others.follow(); }, (text) => notice.say("answer", text));
const restart = () => (led ? lead(led) : launch(debuggee.isDebugged));

debuggee.on("launched", ({ isDebugged, expected }) => {
  output.clear();
  output.canAsk = isDebugged;
  find("output").classList.toggle("asking", isDebugged);
  // What is expected stays in sight.
  if (expected === undefined) below.show("printed");
  if (!isDebugged) regions.show("below");
});
debuggee.on("output", ({ category, text, isEvaluated }) => {
  output.append(isEvaluated ? "evaluated" : category, text);
  if (isEvaluated) results.printed(text);
});
/** What the program that is started has been found to have. @type {Problem[]} */
let reported = [];
debuggee.on("launched", () => { reported = []; });
debuggee.on("report", (problem) => {
  reported.push(problem);
  output.say(reportElement(problem, followed((where) => position.goInLoaded(where))));
});
debuggee.on("ended", (ending) => {
  output.say(make("p", "ending", endingText(ending)));
  if (ending.how === "refused") showFound(reported);
  if (ending.how === "failed" && ending.message) notice.say("failed", ending.message, remedy(ending));
});
/** What can be done after the engine has failed. @param {import("./engine/debuggee.js").Ending} ending */
function remedy({ remedy }) {
  if (remedy === "load") return { text: "Load the page again", action: () => location.reload() };
  return remedy && { text: "Start again", action: restart };
}
debuggee.on("settled", (stop) => output.showStop(stop));
// What is shown while it runs is of the stop before.
debuggee.on("changed", () => { document.body.classList.toggle("running", debuggee.status === "running"); });
debuggee.on("changed", () => {
  if (!debuggee.isWaiting) return;
  below.show("printed");
  regions.show("below");
});
debuggee.on("stopped", ({ reason, location: { file } }) => {
  if (reason !== "step") regions.show("program");
  const isGone = file && !workspace.loadedAt(file);
  if (isOtherProgram(workspace)) notice.say("changed", isGone ? goneText(file) : "The program has been changed since it was started.", { text: "Restart", action: restart });
});
/** Lets the program run to the line of the cursor. */
function runToCursor() {
  const { name, state } = workspace.shown;
  const file = workspace.loadedPath(workspace.shown);
  if (file) debuggee.resume("runTo", { file, line: lineInLoaded(state, editor.cursor) });
  else if (debuggee.isStopped) notice.say("answer", `${name} is not in the program that was started.`);
}

const all = actions(debuggee, { run: () => launch(false), debug: () => launch(true), restart });
const buttonOf = showActions(find("actions"), all, debuggee);
const chooseTarget = showStepTargets(buttonOf("Step into"), debuggee);
const allKeys = [...all, ...moreActions(debuggee)];
const otherKeys = [
  { key: "F9", name: "Set or remove a breakpoint in the line of the cursor", act: () => editor.toggleBreakpoint() },
  { key: "Ctrl+F10", name: "Run to the line of the cursor", act: runToCursor },
  { key: "Ctrl+F11", name: "Choose a call of the line to step into", act: chooseTarget },
  { key: "Ctrl+S", name: "Save the file that is shown", act: menus.save },
  { key: "Ctrl+O", name: "Open files", act: menus.open },
];
listenToKeys(allKeys, debuggee, otherKeys);
find("menus").append(keysButton([...allKeys, ...otherKeys]));
editor.on("toggled", ({ line, isSet }) => find("spoken").replaceChildren(`Breakpoint ${isSet ? "set" : "removed"} in line ${line}.`));

const showHappenedFirst = showHappened(find("happened"), debuggee, embedded?.isDebugged ?? true);
showTimeline(find("time"), debuggee);
showCalls(find("calls"), debuggee);
const results = showConsole(find("console"), debuggee, () => { variables.refresh(); watches.refresh(); picture.refresh(); });

// The exercise, and the cases of the program.
showTask(find("task"), workspace);
const runs = new CaseRuns(workers, embedded?.isDebugged !== false);
/** Those of the exercise in a frame, which stay what they are. */
const givenCases = () => (embedded ? exercise.files.find(({ name }) => name === exercise.main)?.cases ?? [] : []);
new Cases(find("cases"), {
  workspace, runs, given: givenCases, lead: embedded?.isDebugged === false ? undefined : lead,
  go: (place) => { regions.show("program"); position.go(place); },
  lastRun: new LastRun(debuggee, workspace), canChange: !embedded?.isReadOnly, isFrame: embedded !== undefined,
  say: (text) => notice.say("answer", text), done: menus.done, titled: (title) => below.titled("cases", title),
});
const programChanged = () => runs.changed(() => workspace.program());
editor.on("text", programChanged);
workspace.on("changed", programChanged);
workspace.on("replaced", () => runs.stop());
const told = embedded ? toldBy(location.search) : {};
if (told.why) notice.say("told", told.why);
runs.on("finished", () => { const given = givenCases(); if (given.length) tell(told.origin, given.filter((one) => runs.of(one)?.isRight).length, given.length); });

new WrittenFiles(find("written"), debuggee, (text) => notice.say("answer", text));
const inputLine = new InputLine(find("input"), debuggee, output);
workers.onWay = (/** @type {import("./engine/engine-worker.js").Way} */ way) => inputLine.gather(way === "given");
if (embedded) showEmbedded(embedded);
if (embedded?.isGuided) beGuided();
else if (!embedded) offerTour(notice, localHistory.newest() === undefined);
workers.prepare();
workOffline((update) => notice.say("version", "There is a new version of this page.", { text: "Load it", action: update }));

/**
 * Does something when it has not been asked for again for some time.
 * @param {number} time In milliseconds. @param {() => void} action
 */
function delayed(time, action) {
  /** @type {number | undefined} */
  let timer;
  const now = () => {
    clearTimeout(timer);
    action();
  };
  return { now, later: () => { clearTimeout(timer); timer = setTimeout(action, time); } };
}
