// Breakpoints that are at no line: of functions, which stay from run to run, and of data, which end with theirs.
import { Emitter } from "../base/emitter.js";

/**
 * @typedef {import("./debuggee.js").Debuggee} Debuggee
 * @typedef {import("../../../examples/typescript/protocol.ts").Breakpoint} Told
 * @typedef {import("./session.js").Commands["setFunctionBreakpoints"]["params"]["breakpoints"][number]} OfFunction
 * @typedef {import("./session.js").Commands["setDataBreakpoints"]["params"]["breakpoints"][number]} OfData
 */

/** @extends {Emitter<{ changed: undefined }>} */
export class OtherBreakpoints extends Emitter {
  #debuggee;
  #say;
  /** @type {{ asked: OfFunction, told?: Told }[]} */
  functions = [];
  /** @type {Told[]} */
  data = [];

  /** @param {Debuggee} debuggee @param {(text?: string) => void} say Tells the user why one is never hit; without a text, that none is known. */
  constructor(debuggee, say) {
    super();
    this.#debuggee = debuggee;
    this.#say = say;
    debuggee.on("event", ({ event, data, id }) => {
      if (event === "functionBreakpoints") this.#toldFunctions(data.breakpoints);
      else if (event === "dataBreakpoints") this.#toldData(data.breakpoints);
      else if (event === "breakpointChanged" && id === undefined) this.#changed(data.reason === "removed", data.breakpoint);
    });
    // Those of data are of variables of that run, also where another one follows at once.
    for (const event of /** @type {const} */ (["launched", "ended"])) debuggee.on(event, () => this.#forget());
  }

  /** Sets those of functions in a program that was led to a place without them. */
  follow() {
    if (this.functions.length) this.#sendFunctions();
  }

  /** Those of functions, for the start of a program. */
  get requested() {
    return this.functions.map(({ asked }) => asked);
  }

  /** Those of functions of an earlier visit. @param {OfFunction[]} functions */
  restore(functions) {
    this.functions = functions.map((asked) => ({ asked }));
    this.emit("changed", undefined);
  }

  /** Sets one of a function, in place of another one. @param {OfFunction} asked @param {string} [before] Its function. */
  setFunction(asked, before = asked.name) {
    const at = this.functions.findIndex((one) => one.asked.name === before);
    this.functions = this.functions.filter((one, index) => index === at || one.asked.name !== asked.name);
    const place = this.functions.findIndex((one) => one.asked.name === before);
    this.functions.splice(place < 0 ? this.functions.length : place, place < 0 ? 0 : 1, { asked });
    this.#sendFunctions();
  }

  /** @param {string} name */
  removeFunction(name) {
    this.functions = this.functions.filter(({ asked }) => asked.name !== name);
    this.#sendFunctions();
  }

  /** Stops when a variable, or a part of a value, is changed. @param {OfData} asked */
  async addData(asked) {
    const before = this.data;
    await this.#sendData([...this.#kept(before), asked]);
    const wrong = this.data.find(({ verified, id }) => !verified && !before.some((one) => one.id === id));
    if (!wrong) return;
    await this.removeData(wrong.id);
    this.#say(wrong.message ?? "Its changes cannot be watched.");
  }

  /** @param {number} id @param {boolean} enabled */
  async enableData(id, enabled) {
    await this.#sendData(this.#kept(this.data.map((one) => (one.id === id ? { ...one, enabled } : one))));
  }

  /** @param {number} id */
  async removeData(id) {
    await this.#sendData(this.#kept(this.data.filter((one) => one.id !== id)));
  }

  #forget() {
    this.data = [];
    for (const one of this.functions) one.told = undefined;
    this.emit("changed", undefined);
  }

  /** @param {Told[]} data @returns {OfData[]} */
  #kept(data) {
    return data.map(({ id, enabled, condition, hitCondition }) => ({ id, enabled, condition, hitCondition }));
  }

  #sendFunctions() {
    this.emit("changed", undefined);
    const { status, isDebugged, isLed } = this.#debuggee;
    if (status === "idle" || status === "loading" || !isDebugged || isLed) return;
    this.#say();
    this.#debuggee.ask("setFunctionBreakpoints", { breakpoints: this.requested }).catch((error) => this.#say(error.message));
  }

  /** @param {OfData[]} breakpoints */
  async #sendData(breakpoints) {
    this.#say();
    try {
      await this.#debuggee.ask("setDataBreakpoints", { breakpoints });
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {Told[]} told */
  #toldFunctions(told) {
    this.functions.forEach((one, at) => {
      const isNew = one.told?.message !== told[at]?.message;
      one.told = told[at];
      const why = one.told?.verified ? undefined : one.told?.message;
      // If the program cannot be loaded, that is what is said.
      if (isNew && why) setTimeout(() => { if (this.#debuggee.status !== "idle") this.#say(`The breakpoint of ${one.asked.name} is never hit: ${why}`); });
    });
    this.emit("changed", undefined);
  }

  /** @param {Told[]} told */
  #toldData(told) {
    this.data = told;
    this.emit("changed", undefined);
  }

  /** @param {boolean} isGone @param {Told} told */
  #changed(isGone, told) {
    this.data = isGone ? this.data.filter(({ id }) => id !== told.id) : this.data.map((one) => (one.id === told.id ? told : one));
    for (const one of this.functions) if (one.told?.id === told.id) one.told = told;
    this.emit("changed", undefined);
  }
}
