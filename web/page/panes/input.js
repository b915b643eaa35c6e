// The line that the program reads.
import { textButton } from "../base/controls.js";
import { letterOf } from "../base/keys.js";
import { make, number, shorten, visible } from "../../shared/elements.js";

/** How many lines for the next program are shown, and how many characters of each. */
const MOST_SHOWN = 8;
const MOST_LETTERS = 80;

export class InputLine {
  #input = make("input", "");
  #debuggee;
  #output;
  #end;
  #submit = make("button", "", "Send");
  #about = make("p", "nothing about-input");
  #present;
  /** Whether the next program can be given nothing while it runs. */
  #mustGather = false;
  /** What the next program reads. @type {string[]} */
  #gathered = [];

  /**
   * @param {HTMLElement} place
   * @param {import("../engine/debuggee.js").Debuggee} debuggee
   * @param {import("./output.js").Output} output Where what was entered is shown.
   */
  constructor(place, debuggee, output) {
    this.#debuggee = debuggee;
    this.#output = output;
    Object.assign(this.#input, { type: "text", autocomplete: "off", spellcheck: false, enterKeyHint: "send" });
    this.#input.setAttribute("aria-label", "Input");
    this.#input.setAttribute("autocapitalize", "off");
    this.#end = textButton("End of input", () => this.#send(true));
    this.#end.title = "Nothing follows: the program reaches the end of its input (Ctrl+D)";
    this.#about.id = "about-input";
    this.#input.setAttribute("aria-describedby", this.#about.id);
    this.#present = textButton("Go to the present", () => debuggee.resume("goToPresent"), "link");
    this.#present.title = "Alt+F6";
    const form = make("form", "input-line", this.#input, this.#submit, this.#end);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(false);
    });
    this.#input.addEventListener("keydown", (event) => {
      if (!event.ctrlKey || letterOf(event) !== "d") return;
      event.preventDefault();
      this.#send(true);
    });
    this.#input.addEventListener("paste", (event) => this.#takeLines(event, event.clipboardData));
    this.#input.addEventListener("drop", (event) => this.#takeLines(event, event.dataTransfer));
    place.append(form, this.#about);
    debuggee.on("changed", () => this.#refresh());
    debuggee.on("unread", (text) => { this.#gathered.push(...text.split("\n").slice(0, -1)); });
    this.#refresh();
  }

  /** @param {boolean} isNeeded Whether lines are gathered for the next program: while it runs it can be given none. */
  gather(isNeeded) {
    this.#mustGather = isNeeded;
    this.#refresh();
  }

  /** Whether lines are for the next program, not for this one. */
  get #isGathering() {
    const { status, takesInput } = this.#debuggee;
    return status === "idle" ? this.#mustGather || this.#gathered.length > 0 : !takesInput;
  }

  /** What was gathered, as the program reads it. */
  get gathered() {
    return this.#gathered.map((line) => line + "\n").join("");
  }

  #refresh() {
    const { status: now, takesInput } = this.#debuggee;
    // One that can be given more was given these.
    if ((now === "running" || now === "stopped") && takesInput) this.#gathered = [];
    this.#end.hidden = this.#isGathering;
    if (this.#isGathering) return this.#showGathered(this.#gathered);
    const { status, isWaiting, isInPast, hasInputEnded } = this.#debuggee;
    const isLive = status !== "idle";
    if (isInPast) this.#say("This is the past, where what was entered is read again. New input is for the present. ", this.#present);
    else this.#say("");
    // What follows the end of input is refused. The focus may stay.
    const isOver = (this.#input.readOnly = isLive && hasInputEnded);
    this.#input.disabled = isInPast;
    this.#submit.disabled = isInPast || isOver;
    const wasWaiting = this.#input.classList.contains("wanted");
    this.#input.classList.toggle("wanted", isWaiting);
    this.#input.placeholder = isOver ? "The input has ended" : isWaiting ? "The program waits for a line" : isLive ? "Input of the program" : "Input, when a program runs";
    this.#end.disabled = !isLive || isInPast || isOver;
    // Who has pressed Run wants to answer; who writes in the editor meanwhile is not disturbed.
    const isFree = document.activeElement === document.body || document.activeElement?.closest(".toolbar") !== null;
    if (isWaiting && !wasWaiting && isFree) this.#input.focus();
  }

  /** @param {string} text @param {...HTMLElement} more */
  #say(text, ...more) {
    this.#about.hidden = !text;
    // What has the focus keeps it.
    if (this.#about.textContent === text + more.map(({ textContent }) => textContent).join("")) return;
    this.#about.replaceChildren(text, ...more);
  }

  /** @param {string[]} lines */
  #showGathered(lines) {
    this.#input.disabled = this.#input.readOnly = this.#submit.disabled = false;
    this.#input.classList.remove("wanted");
    this.#input.placeholder = "A line for the program, before it runs";
    const clear = textButton("Clear", () => { this.#gathered = []; this.#refresh(); }, "link");
    if (!lines.length) this.#say("In this browser a program can be given nothing while it runs: enter the lines that it reads before.");
    else {
      const reader = this.#debuggee.status === "idle" ? "The program" : "This program can be given nothing more. The next one";
      const rest = this.#mustGather ? ", and then the end of its input" : " first";
      const shown = lines.slice(0, MOST_SHOWN).map((line) => `“${visible(shorten(line, MOST_LETTERS))}”`);
      const left = lines.length - shown.length;
      this.#say(`${reader} reads ${shown.join(", ")}${left ? `, ${number(left)} more ${left === 1 ? "line" : "lines"}` : ""}${rest}. `, clear);
    }
  }

  /** Enters what is in the field. @param {boolean} isLast Whether nothing follows. */
  #send(isLast) {
    if (!this.#isGathering && (this.#debuggee.status === "idle" || this.#debuggee.hasInputEnded)) return;
    const text = this.#input.value;
    this.#input.value = "";
    // Ctrl+D is no line: the end follows all of them.
    this.#enter(isLast && !text ? [] : [text], isLast);
  }

  /** Enters lines; those that no program can read now are for the next one. @param {string[]} lines @param {boolean} isLast */
  #enter(lines, isLast = false) {
    if (this.#isGathering || this.#debuggee.status === "idle") {
      this.#gathered = [...this.#gathered, ...lines];
      return this.#refresh();
    }
    lines.forEach((line, at) => this.#output.append("typed", `${line}\n`, at === 0 ? this.#debuggee.readIn : undefined));
    this.#debuggee.input(lines.map((line) => `${line}\n`).join(""), isLast);
  }

  /**
   * Several lines that are pasted or dropped are entered, as on a terminal; the field has none. What is after the last line
   * end stays in it.
   * @param {ClipboardEvent | DragEvent} event @param {DataTransfer | null} data
   */
  #takeLines(event, data) {
    const { value, readOnly, selectionStart, selectionEnd } = this.#input;
    const text = data?.getData("text/plain") ?? "";
    if (readOnly || !/[\r\n]/.test(text)) return;
    event.preventDefault();
    // Where something is dropped is not known here.
    const [from, to] = event.type === "paste" ? [selectionStart ?? 0, selectionEnd ?? 0] : [value.length, value.length];
    const lines = (value.slice(0, from) + text + value.slice(to)).split(/\r\n?|\n/);
    const rest = lines.pop() ?? "";
    this.#input.value = rest;
    const at = rest.length - (value.length - to);
    this.#input.setSelectionRange(at, at);
    this.#enter(lines);
  }
}
