// Variables and objects as boxes, references as arrows.
import { arrowLayer, drawArrows, followReferences } from "../../shared/arrows.js";
import { change, frameBox, levels, objectBox } from "../../shared/boxes.js";
import { make, number } from "../../shared/elements.js";
import { Refresher } from "../engine/refresher.js";
import { cellOf, thingOf } from "./cells.js";

/**
 * @typedef {import("../engine/debuggee.js").Debuggee} Debuggee
 * @typedef {import("../../../examples/typescript/protocol.ts").Variable} Variable
 * @typedef {import("../../shared/boxes.js").Row} Row
 * @typedef {import("../../shared/boxes.js").Heap} Heap
 * @typedef {{ key: string, title: string, where: string, rows: Row[] }} Frame A call, or the globals of a file.
 * @typedef {{ frames: Frame[], hidden: number, heap: Heap, isCut: boolean }} Scene
 */

const MOST_FRAMES = 12;
const MOST_OBJECTS = 60;
const MOST_PARTS = 60;

export class Picture {
  #debuggee;
  #place;
  #frames = make("div", "frames");
  #heap = make("div", "heap");
  #svg = arrowLayer();
  /** What was shown at the stop before. @type {Scene | undefined} */
  #before;
  /** @type {Scene | undefined} */
  #shown;
  #isWanted = false;
  #refresher;

  /** @param {HTMLElement} place @param {Debuggee} debuggee */
  constructor(place, debuggee) {
    this.#place = place;
    this.#debuggee = debuggee;
    place.classList.add("picture");
    place.setAttribute("aria-label", "Variables and objects");
    this.#clear();
    this.#refresher = new Refresher(debuggee, () => this.#scene(), (scene) => this.#take(scene));
    followReferences(place);
    debuggee.on("launched", () => { this.#before = this.#shown = undefined; this.#clear(); });
    debuggee.on("settled", () => this.refresh());
    debuggee.on("ended", () => this.#clear());
    new ResizeObserver(() => this.#draw()).observe(place);
  }

  /** The pane is in sight, or not. @param {boolean} isWanted */
  want(isWanted) {
    this.#isWanted = isWanted;
    this.refresh();
  }

  refresh() {
    if (this.#isWanted) this.#refresher.refresh();
  }

  /** @param {Scene} scene */
  #take(scene) {
    this.#before = this.#shown;
    this.#shown = scene;
    this.#show(scene, this.#before);
  }

  #clear() {
    this.#frames.replaceChildren();
    this.#heap.replaceChildren();
    this.#place.replaceChildren(make("p", "nothing", "While the program is stopped, its variables and objects are here."));
  }

  /** @returns {Promise<Scene>} */
  async #scene() {
    const { frames, frameCount } = this.#debuggee;
    const shown = frames.slice(0, MOST_FRAMES);
    const answers = await Promise.all(shown.map((_, frameIndex) => this.#debuggee.ask("getVariables", { frameIndex })));
    /** @type {Map<string, Frame>} */
    const globals = new Map();
    /** @type {Variable[]} */
    const roots = [];
    const rowsOf = (/** @type {Variable[]} */ variables) => variables.map((one) => { roots.push(one); return /** @type {Row} */ ([one.name, cellOf(one), one.declaredType ?? ""]); });
    const calls = answers.map(({ data }, index) => {
      const { function: title, line, file, id } = shown[index];
      const global = data.variables.filter(({ scope }) => scope === "global");
      if (global.length) globals.set(file, { key: `globals of ${file}`, title: "global variables", where: globals.size ? file : "", rows: rowsOf(global) });
      return { key: `${id} ${title}`, title, where: `line ${line}`, rows: rowsOf(data.variables.filter(({ scope }) => scope !== "global")) };
    });
    const { heap, isCut } = await this.#follow(roots);
    return { frames: [...globals.values(), ...calls.reverse()], hidden: frameCount - shown.length, heap, isCut };
  }

  /** The objects to which variables lead. @param {Variable[]} roots @returns {Promise<{ heap: Heap, isCut: boolean }>} */
  async #follow(roots) {
    /** @type {Heap} */
    const heap = new Map();
    let queue = roots;
    while (queue.length && heap.size < MOST_OBJECTS) {
      const fresh = new Map(queue.filter(({ objectId }) => objectId !== undefined && !heap.has(objectId)).map((one) => [one.objectId, one]));
      const some = [...fresh.values()].slice(0, MOST_OBJECTS - heap.size);
      const answers = await Promise.all(some.map((one) => this.#partsOf(one)));
      some.forEach((one, at) => heap.set(one.objectId ?? 0, thingOf(one, answers[at].children, answers[at].total)));
      queue = answers.flatMap(({ children }) => children);
    }
    const isCut = queue.some(({ objectId }) => objectId !== undefined && !heap.has(objectId));
    return { heap, isCut };
  }

  /** @param {Variable} variable @returns {Promise<{ children: Variable[], total: number }>} */
  async #partsOf({ reference }) {
    if (!reference) return { children: [], total: 0 };
    return (await this.#debuggee.ask("getChildren", { reference, start: 0, count: MOST_PARTS })).data;
  }

  /** @param {Scene} scene @param {Scene | undefined} before */
  #show({ frames, hidden, heap, isCut }, before) {
    const boxes = frames.map((frame, at) => {
      const old = before?.frames.find(({ key }) => key === frame.key);
      const cells = new Map(old?.rows.map(([name, cell]) => [name, cell]));
      const kindOf = (/** @type {number} */ _, /** @type {string} */ name, /** @type {import("../../shared/boxes.js").Cell} */ cell) => (old ? change(cells.get(name), cell) : "");
      return frameBox({ ...frame, isCurrent: at === frames.length - 1, kindOf }, heap);
    });
    if (hidden > 0) boxes.splice(boxes.length - Math.min(MOST_FRAMES, boxes.length), 0, make("div", "more", `… ${number(hidden)} more calls …`));
    const columns = levels(frames.flatMap(({ rows }) => rows.map(([, cell]) => cell)), heap);
    const grid = make("div", "levels", ...columns.map((column) => make("div", "level", ...column.map((one) => objectBox(one, heap, sameAs(before?.heap.get(one.id), one), !before)))));
    this.#frames.replaceChildren(make("h2", "", "Variables"), ...boxes);
    this.#heap.replaceChildren(make("h2", "", "Objects"), columns.length ? grid : make("p", "none", "no arrays, maps or structs"));
    if (isCut) this.#heap.append(make("p", "more", "Some objects are left out."));
    this.#place.replaceChildren(this.#svg, this.#frames, this.#heap);
    this.#draw();
  }

  #draw() {
    if (this.#svg.isConnected) drawArrows(this.#place, this.#svg, this.#frames, this.#heap);
  }
}

/** The object itself, if it is as it was before. @param {import("../../shared/boxes.js").Thing | undefined} before @param {import("../../shared/boxes.js").Thing} now */
function sameAs(before, now) {
  return before && JSON.stringify(before) === JSON.stringify(now) ? now : before;
}
