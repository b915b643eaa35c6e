// What can be done with the program: buttons, keys, and when each is possible.
import { iconButton } from "../base/controls.js";
import { keyOf } from "../base/keys.js";
import { STEPS } from "../engine/step-queue.js";
import { make } from "../../shared/elements.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../engine/debuggee.js").Resuming} Resuming
 * @typedef {object} Action
 * @property {string} name The name of its button.
 * @property {import("../base/icons.js").Icon} icon
 * @property {string} key As it is written.
 * @property {(debuggee: Debuggee) => boolean} isPossible
 * @property {(isHeld?: boolean) => void} act `isHeld` if its key is held down.
 * @property {boolean} [isStep] Whether it can be asked for while another one is in progress, and by a key that is held.
 */

const isIdle = (/** @type {Debuggee} */ { status }) => status === "idle";
const isLive = (/** @type {Debuggee} */ { status }) => status !== "idle";
const isStopped = (/** @type {Debuggee} */ { status }) => status === "stopped";
const isRunning = (/** @type {Debuggee} */ { status }) => status === "running";
const canGoBack = (/** @type {Debuggee} */ { hasPast }) => hasPast;

/**
 * The actions in the order of their buttons.
 * @param {Debuggee} debuggee
 * @param {{ run: () => void, debug: () => void, restart: () => void }} start
 * @returns {Action[]}
 */
export function actions(debuggee, start) {
  return [
    { name: "Run", icon: "run", key: "Ctrl+Enter", isPossible: isIdle, act: start.run },
    { name: "Debug", icon: "debug", key: "F5", isPossible: isIdle, act: start.debug },
    { name: "Continue", icon: "continue", key: "F5", isPossible: isStopped, ...resuming(debuggee, "continue") },
    { name: "Pause", icon: "pause", key: "F6", isPossible: isRunning, act: () => debuggee.pause() },
    { name: "Step over", icon: "over", key: "F10", isPossible: isStopped, ...resuming(debuggee, "stepOver") },
    { name: "Step into", icon: "into", key: "F11", isPossible: isStopped, ...resuming(debuggee, "stepInto") },
    { name: "Step out", icon: "out", key: "Shift+F11", isPossible: isStopped, ...resuming(debuggee, "stepOut") },
    { name: "Back", icon: "back", key: "Alt+F11", isPossible: canGoBack, ...resuming(debuggee, "stepBack") },
    { name: "Reverse", icon: "reverse", key: "Alt+F5", isPossible: canGoBack, ...resuming(debuggee, "reverseContinue") },
    { name: "Restart", icon: "restart", key: "Ctrl+Shift+F5", isPossible: isLive, act: start.restart },
    { name: "Stop", icon: "stop", key: "Shift+F5", isPossible: isLive, act: () => debuggee.end() },
  ];
}

/** Actions that have a key but no button. @param {Debuggee} debuggee @returns {Action[]} */
export function moreActions(debuggee) {
  const past = (/** @type {string} */ name, /** @type {string} */ key, /** @type {Resuming} */ command) =>
    ({ name, icon: /** @type {const} */ ("back"), key, isPossible: canGoBack, ...resuming(debuggee, command) });
  return [past("Back over calls", "Alt+F10", "stepBackOver"), past("Back out of the call", "Alt+Shift+F11", "stepBackOut"), past("Go to the present", "Alt+F6", "goToPresent")];
}

/** What lets the program go on by a command. @param {Debuggee} debuggee @param {Resuming} command */
function resuming(debuggee, command) {
  return { act: (isHeld = false) => debuggee.resume(command, {}, isHeld), isStep: STEPS.has(command) };
}

/**
 * Carries out the one of these actions that is possible now. Steps follow each other faster than the program stops:
 * those count, too, while one is in progress. Nothing else that was asked for is done later, in another state.
 * @param {Action[]} named @param {Debuggee} debuggee @param {boolean} isHeld Whether a key is held down.
 */
function perform(named, debuggee, isHeld = false) {
  const action = named.find(({ isPossible, isStep }) => (isStep && debuggee.status === "running") || isPossible(debuggee));
  if (action && (action.isStep || !isHeld)) action.act(isHeld);
}

/** What a button says that has only a picture otherwise. */
const WITH_TEXT = new Set(["Run", "Debug"]);

/**
 * The buttons.
 * @param {HTMLElement} place @param {Action[]} all @param {Debuggee} debuggee
 * @returns {(name: string) => HTMLElement} A button by its name.
 */
export function showActions(place, all, debuggee) {
  const buttons = all.map((action) => {
    const button = iconButton(action.icon, action.name, () => perform([action], debuggee), action.key);
    if (WITH_TEXT.has(action.name)) {
      button.append(make("span", "", action.name));
      button.classList.add("with-text");
    }
    return { action, button };
  });
  place.append(...buttons.map(({ button }) => button));
  const refresh = () => {
    for (const { action, button } of buttons) {
      // Not `disabled`, so that the focus stays at the button through a step.
      button.setAttribute("aria-disabled", String(!action.isPossible(debuggee)));
    }
  };
  debuggee.on("changed", refresh);
  refresh();
  return (name) => /** @type {{ button: HTMLElement }} */ (buttons.find(({ action }) => action.name === name)).button;
}

/** A key as `keyOf` writes it. @param {string} key */
const small = (key) => key.replace(/\+(\w)$/, (_, letter) => `+${letter.toLowerCase()}`);

/**
 * Carries out actions by their keys.
 * @param {Action[]} all @param {Debuggee} debuggee
 * @param {{ key: string, act: () => void }[]} others Further keys.
 */
export function listenToKeys(all, debuggee, others) {
  const keys = new Set([...all, ...others].map(({ key }) => small(key)));
  document.addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (!keys.has(key)) return;
    // Also if nothing is possible now: the browser would load the page anew, or leave it.
    event.preventDefault();
    if (document.querySelector("dialog[open]")) return;
    event.stopPropagation();
    const other = others.find((one) => small(one.key) === key);
    if (other) return other.act();
    perform(all.filter((action) => action.key === key), debuggee, event.repeat);
  }, { capture: true });
}
