// Buttons, menus and questions.
import { make } from "../../shared/elements.js";
import { icon } from "./icons.js";

/**
 * A button with a text.
 * @param {string} text @param {() => void} pressed @param {string} name Its class.
 */
export function textButton(text, pressed, name = "") {
  const button = make("button", name, text);
  button.type = "button";
  button.addEventListener("click", pressed);
  return button;
}

/**
 * A button with a picture.
 * @param {import("./icons.js").Icon} picture @param {string} label Its name. @param {() => void} pressed
 * @param {string} key What key does the same.
 */
export function iconButton(picture, label, pressed, key = "") {
  const button = make("button", "icon", icon(picture));
  button.type = "button";
  button.setAttribute("aria-label", label);
  button.title = key ? `${label} (${key})` : label;
  button.addEventListener("click", () => { if (button.getAttribute("aria-disabled") !== "true") pressed(); });
  return button;
}

/** @typedef {{ text: string, hint?: string, action: () => void }} Choice */

/** Whether a button of the mouse is pressed: where a right button opens menus when it goes down, browsers close them when it comes up. */
let isPressed = false;
addEventListener("pointerdown", ({ pointerType }) => { isPressed = pointerType === "mouse"; }, { capture: true });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { isPressed = false; }, { capture: true });

/**
 * Opens a menu at an element, which gets the focus back.
 * @param {HTMLElement} owner @param {Choice[]} choices
 */
export function openMenu(owner, choices) {
  if (isPressed) addEventListener("pointerup", () => setTimeout(() => showMenu(owner, choices)), { once: true });
  else showMenu(owner, choices);
}

/** @param {HTMLElement} owner @param {Choice[]} choices */
function showMenu(owner, choices) {
  const menu = make("div", "menu");
  menu.setAttribute("role", "menu");
  menu.popover = "auto";
  for (const { text, hint, action } of choices) {
    const item = textButton(text, () => { menu.hidePopover(); action(); });
    if (hint) item.append(make("small", "", hint));
    item.setAttribute("role", "menuitem");
    menu.append(item);
  }
  const items = /** @type {HTMLElement[]} */ ([...menu.children]);
  menu.addEventListener("keydown", (event) => {
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") menu.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  });
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
    menu.remove();
    if (hadFocus) owner.focus();
  });
  document.body.append(menu);
  menu.showPopover();
  place(menu, owner.getBoundingClientRect());
  items[0]?.focus();
}

/** @param {HTMLElement} menu @param {DOMRect} owner */
function place(menu, owner) {
  const { width, height } = menu.getBoundingClientRect();
  const below = owner.bottom + height + 4 < innerHeight || owner.top < height;
  menu.style.left = `${Math.max(4, Math.min(owner.left, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, below ? owner.bottom + 2 : owner.top - height - 2)}px`;
}

/**
 * A field of a question.
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string | boolean} value A `boolean` is a check box.
 * @property {string} [before] What it was before `value` was entered.
 * @property {string} [hint]
 * @property {number} [rows] How many lines of a text are shown; one, without end, if it is missing.
 */

/**
 * Asks the user something.
 * @param {object} question
 * @param {string} question.title
 * @param {Field[]} question.fields
 * @param {string} question.button What the button says that takes the answer.
 * @param {(values: Record<string, any>) => string | void | Promise<string | void>} question.take Takes the answer, or
 *     returns what is wrong with it.
 * @param {{ text: string, action: () => void }} [question.other] Another thing that can be done.
 * @param {(values: Record<string, any>) => void} [question.escaped] Gets what was entered when Escape was pressed.
 */
export function ask({ title, fields, button, take, other, escaped }) {
  const dialog = make("dialog", "question");
  const heading = make("h2", "", title);
  const wrong = make("p", "wrong");
  wrong.setAttribute("role", "alert");
  const inputs = fields.map((field) => ({ field, input: inputOf(field) }));
  const values = () => Object.fromEntries(inputs.map(({ field, input }) => [field.name, input instanceof HTMLInputElement && input.type === "checkbox" ? input.checked : input.value]));
  const rows = inputs.map(({ field, input }) => {
    const label = make("label", typeof field.value === "boolean" ? "check" : "", make("span", "", field.label), input);
    return field.hint ? make("div", "field", label, make("small", "", field.hint)) : make("div", "field", label);
  });
  const submit = make("button", "primary", button);
  const left = other ? [textButton(other.text, () => { dialog.close(); other.action(); })] : [];
  const form = make("form", "", heading, ...rows, wrong, make("div", "buttons", ...left, textButton("Cancel", () => dialog.close()), submit));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const reason = await take(values());
    if (reason) wrong.textContent = reason;
    else dialog.close();
  });
  dialog.addEventListener("cancel", () => escaped?.(values()));
  // Who leaves the page is asked whether to lose what was entered.
  const stay = (/** @type {Event} */ event) => { if (dialog.open && fields.some(({ name, value, before }) => values()[name] !== (before ?? value))) event.preventDefault(); };
  addEventListener("beforeunload", stay);
  dialog.addEventListener("close", () => removeEventListener("beforeunload", stay));
  open(dialog, heading, form);
}

/**
 * Shows something to read.
 * @param {string} title @param {...import("../../shared/elements.js").Inside} inside
 */
export function showText(title, ...inside) {
  const dialog = make("dialog", "text");
  const heading = make("h2", "", title);
  const close = textButton("Close", () => dialog.close(), "primary");
  open(dialog, heading, make("div", "", heading, ...inside, make("div", "buttons", close)));
  // It is read from its beginning, also where it is longer than the window.
  if (document.activeElement === close) {
    heading.tabIndex = -1;
    heading.focus();
  }
  return dialog;
}

/** @param {HTMLDialogElement} dialog @param {HTMLElement} heading @param {HTMLElement} inside */
function open(dialog, heading, inside) {
  heading.id = "dialog-title";
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(inside);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Field} field */
function inputOf({ value, rows }) {
  if (rows) return Object.assign(make("textarea", ""), { rows, value, spellcheck: false });
  const input = make("input", "");
  if (typeof value === "boolean") Object.assign(input, { type: "checkbox", checked: value });
  else Object.assign(input, { type: "text", value, spellcheck: false, autocomplete: "off" });
  return input;
}
