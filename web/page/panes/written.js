// The files that the program has written: they are in memory, until the next run.
import { openMenu, showText, textButton } from "../base/controls.js";
import { make, number, visible } from "../../shared/elements.js";
import { saveFile } from "../files/disk.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../engine/session.js").Written} Written
 */

/** How many files are listed at first, and how many more each time. */
const FIRST = 30;
const MORE = 500;
/** How much of a file is shown, in bytes. */
const MOST_SHOWN = 100_000;
/** How long after a stop the files are asked for, in milliseconds: steps follow each other faster. */
const ASKED_AFTER = 250;

export class WrittenFiles {
  #place;
  #debuggee;
  #say;
  /** @type {Written[]} */
  #files = [];
  #launches = 0;
  /** How many are listed at most. */
  #most = FIRST;

  /** @param {HTMLElement} place @param {Debuggee} debuggee @param {(text: string) => void} say */
  constructor(place, debuggee, say) {
    this.#place = place;
    this.#debuggee = debuggee;
    this.#say = say;
    /** @type {number | undefined} */
    let timer;
    const later = () => { clearTimeout(timer); timer = setTimeout(() => this.#refresh(), ASKED_AFTER); };
    debuggee.on("settled", later);
    debuggee.on("changed", () => { if (debuggee.isWaiting) later(); });
    debuggee.on("launched", () => { this.#launches++; this.#most = FIRST; this.#show([]); });
    // Those whose contents are not known are gone with the session; the others are told after this.
    debuggee.on("ended", () => this.#show(this.#files.filter(({ bytes }) => bytes)));
    debuggee.on("files", (files) => this.#show(files));
    this.#show([]);
  }

  async #refresh() {
    if (!this.#debuggee.hasFiles) return;
    const launches = this.#launches;
    const files = await this.#debuggee.files();
    if (launches === this.#launches && this.#debuggee.hasFiles) this.#show(files);
  }

  /** @param {Written[]} files */
  #show(files) {
    const isSame = files.length === this.#files.length && files.every(({ path, size }, at) => this.#files[at].path === path && this.#files[at].size === size);
    this.#files = files;
    this.#place.hidden = !files.length;
    if (isSame) return;
    this.#list();
  }

  #list() {
    const buttons = this.#files.slice(0, this.#most).map((file) => this.#button(file));
    const left = this.#files.length - this.#most;
    const more = textButton(`${number(left)} more …`, () => {
      const at = this.#most;
      this.#most += MORE;
      this.#list();
      this.#place.querySelectorAll("button")[at]?.focus();
    }, "link");
    this.#place.replaceChildren(make("span", "", "Written by the program:"), ...buttons, ...(left > 0 ? [more] : []));
  }

  /** @param {Written} file */
  #button({ path, size }) {
    const name = visible(path.replace(/^\//, ""));
    const button = textButton(name, () => openMenu(button, [
      { text: "Save", hint: `${number(size)} bytes`, action: () => this.#with(path, (bytes) => saveFile(path, bytes)) },
      { text: "Show", action: () => this.#with(path, (bytes) => showText(name, make("pre", "", textOf(bytes)))) },
      { text: "Remove", action: () => this.#remove(path) },
    ]), "written");
    button.setAttribute("aria-haspopup", "menu");
    return button;
  }

  /** Does something with the contents of a file. @param {string} path @param {(bytes: Uint8Array<ArrayBuffer>) => void} action */
  async #with(path, action) {
    const known = (/** @type {Written[]} */ files) => files.find((file) => file.path === path)?.bytes;
    const bytes = known(this.#files) ?? known(await this.#debuggee.files(path));
    if (bytes) action(bytes);
    else this.#say(`${path} is not there any more.`);
  }

  /** @param {string} path */
  #remove(path) {
    if (this.#debuggee.hasFiles) {
      this.#debuggee.removeFile(path);
      this.#refresh();
    } else this.#show(this.#files.filter((file) => file.path !== path));
  }
}

/** What is shown of a file. @param {Uint8Array<ArrayBuffer>} bytes */
function textOf(bytes) {
  const text = visible(new TextDecoder().decode(bytes.subarray(0, MOST_SHOWN)));
  return bytes.length > MOST_SHOWN ? `${text}\n… ${number(bytes.length - MOST_SHOWN)} more bytes` : text;
}
