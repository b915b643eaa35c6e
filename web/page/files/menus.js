// What can be done with the program as a whole.
import { openMenu, showText, textButton } from "../base/controls.js";
import { keepTheme, keptTheme, showTheme } from "./store.js";
import { make, number } from "../../shared/elements.js";
import { openFiles, readFiles, saveFile } from "./disk.js";
import { showEarlier } from "./earlier.js";
import { frameText } from "./embed.js";
import { casesIn } from "./cases.js";
import { EXAMPLES } from "./examples.js";
import { fragmentOf } from "./share.js";
import { whyNoContent } from "./workspace.js";

/** @typedef {import("./workspace.js").Content} Content */

const EMPTY = { title: "empty program", about: "", content: { files: [{ name: "main.ez", text: "import @std\nusing std\n\ndo main() {\n    \n}\n" }], main: "main.ez" } };

/** How long a link may be before some programs cut it, in characters. */
const LONG_LINK = 8000;

/**
 * @param {HTMLElement} place @param {import("./workspace.js").Workspace} workspace
 * @param {import("./keeper.js").Keeper} keeper @param {import("../base/notice.js").Notice} notice
 * @param {() => void} removed Called when earlier texts were removed. @param {boolean} canChange Whether the program can be another one.
 */
export function showMenus(place, workspace, keeper, notice, removed, canChange) {
  const done = (/** @type {string} */ what, /** @type {() => void} */ undo) => notice.say("replaced", what, { text: "Undo", action: undo });
  const replace = (/** @type {Content} */ content, /** @type {string} */ what) => done(what, keeper.replace(content));
  const earlier = () => showEarlier(keeper, (what, { undo, wrong }) => (wrong ? say(wrong) : done(what, undo)), removed);
  const choices = () => [EMPTY, ...EXAMPLES].map(({ title, about, content }) => ({
    text: title, hint: about, action: () => replace(content, `The program is “${title}” now.`),
  }));
  const say = (/** @type {string} */ text) => notice.say("opening", text);
  const open = () => { if (canChange) openFiles(opened, say); };
  const save = () => saveFile(workspace.shown.name, workspace.saved(workspace.shown).text);

  /** @param {import("./workspace.js").SavedFile[]} files */
  function opened(files) {
    const { undo, replaced, wrong } = keeper.open(casesIn(files, []).others);
    const { main } = workspace;
    const found = casesIn(files, main.cases);
    const taken = found.cases.length ? keeper.openCases(found.cases) : {};
    notice.over("opening");
    const what = replaced.length ? [`${replaced.join(", ")} ${replaced.length > 1 ? "have" : "has"} the text of the disk now.`] : [];
    if (taken.undo) what.push(`${main.name} has ${found.cases.length === 1 ? `the case ${found.cases[0].name}` : `${number(found.cases.length)} cases`} of the disk now.`);
    if (what.length) done(what.join(" "), () => { taken.undo?.(); if (replaced.length) undo(); });
    const why = [wrong, taken.wrong, found.wrong].filter(Boolean).join(" ");
    if (why) say(why);
  }

  const examples = textButton("Examples", () => openMenu(examples, choices()));
  const theme = textButton("Theme", () => openMenu(theme, ["As the system", "Light", "Dark"].map((text) => ({ text, action: () => useTheme(text) }))));
  place.append(
    examples, textButton("Earlier texts", earlier), textButton("Open", open), textButton("Save", save),
    textButton("Share", () => share(workspace)), textButton("Embed", () => embed(workspace)), theme);
  useTheme(keptTheme() ?? "");
  acceptDrops((files) => { if (canChange) readFiles(files, opened, say); });
  return { open, save, replace, earlier, done };
}

/** @param {string} name */
function useTheme(name) {
  showTheme(name);
  if (name) keepTheme(name.toLowerCase());
}

/** Why the program cannot be in a link, if it cannot. @param {import("./workspace.js").Workspace} workspace */
function noLink(workspace) {
  const why = whyNoContent(workspace.content());
  return why && make("p", "wrong", `The program cannot be in a link. ${why}`);
}

/** @param {import("./workspace.js").Workspace} workspace */
async function share(workspace) {
  const wrong = noLink(workspace);
  if (wrong) return showText("Share", wrong);
  const address = new URL(location.pathname, location.href).href + await fragmentOf(workspace.content());
  const about = "The program is in the link itself; it is sent to nobody until you pass the link on.";
  const warning = address.length > LONG_LINK ? [make("p", "wrong", `The link has ${number(address.length)} characters; some programs cut links that are so long.`)] : [];
  showText("Share", make("p", "", about), ...copied("Link", address), ...warning);
}

/** @param {import("./workspace.js").Workspace} workspace */
async function embed(workspace) {
  const wrong = noLink(workspace);
  if (wrong) return showText("Embed", wrong);
  const fragment = await fragmentOf(workspace.content());
  const page = new URL(location.pathname, location.href).href;
  showText("Embed", make("p", "", "Paste this into a page:"),
    make("h3", "", "To step through"), ...copied("Frame to step through", frameText(page, fragment, "step")),
    make("h3", "", "To run only"), ...copied("Frame to run", frameText(page, fragment, "run")));
}

/** A text to copy, and the button that does it. @param {string} label @param {string} text */
function copied(label, text) {
  const area = make("textarea", "");
  Object.assign(area, { value: text, readOnly: true, rows: 4 });
  area.setAttribute("aria-label", label);
  area.addEventListener("focus", () => area.select());
  const button = textButton("Copy", async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it by Ctrl+C";
    }
  });
  return [area, button];
}

/** Files that are dropped are opened. @param {(files: File[]) => void} take */
function acceptDrops(take) {
  const isFiles = (/** @type {DragEvent} */ { dataTransfer }) => dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => { if (isFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    take([...(event.dataTransfer?.files ?? [])]);
  }, { capture: true });
}
