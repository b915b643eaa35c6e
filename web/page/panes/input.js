// The line that the program reads.
import { textButton } from "../base/controls.js";
import { make } from "../../shared/elements.js";

export class InputLine {
  #input = make("input", "");
  #debuggee;
  #output;
  #end;

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
    const submit = make("button", "", "Send");
    const form = make("form", "input-line", this.#input, submit, this.#end);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(false);
    });
    this.#input.addEventListener("keydown", (event) => {
      if (!event.ctrlKey || event.key !== "d") return;
      event.preventDefault();
      this.#send(true);
    });
    place.append(form);
    debuggee.on("changed", () => this.#refresh());
    this.#refresh();
  }

  #refresh() {
    const { status, isWaiting } = this.#debuggee;
    const isLive = status !== "idle";
    const wasWaiting = this.#input.classList.contains("wanted");
    this.#input.classList.toggle("wanted", isWaiting);
    this.#input.placeholder = isWaiting ? "The program waits for a line" : isLive ? "Input of the program" : "Input, when a program runs";
    this.#end.disabled = !isLive;
    // Who has pressed Run wants to answer; who writes in the editor meanwhile is not disturbed.
    const isFree = document.activeElement === document.body || document.activeElement?.closest(".toolbar") !== null;
    if (isWaiting && !wasWaiting && isFree) this.#input.focus();
  }

  /** @param {boolean} isLast */
  #send(isLast) {
    if (this.#debuggee.status === "idle") return;
    const text = this.#input.value;
    const sent = isLast && !text ? "" : text + "\n";
    this.#input.value = "";
    if (sent) this.#output.append("typed", sent);
    this.#debuggee.input(sent, isLast);
  }
}
