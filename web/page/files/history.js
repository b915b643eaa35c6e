// What was written here, and is shown no more, or not everywhere: each page keeps what is written in it under a key of its
// own, so that no page overwrites what another one has. It knows nothing of the document.
import { plainExercise, wholeOf } from "./cases.js";
import { isContent, whyNoContent } from "./workspace.js";

/**
 * @typedef {import("./workspace.js").Content} Content
 * @typedef {import("./workspace.js").SavedFile} SavedFile
 */

/**
 * A text, or a program, as it was at a time.
 * @typedef {object} Entry
 * @property {string} key
 * @property {number} time When it was written last, in milliseconds since 1970.
 * @property {Content} content
 * @property {boolean} [isPart] Whether it is one file of a program.
 * @property {string} [link] In which exercise it was written: the sum of the link's fragment.
 */

/**
 * Why something is not kept: `denied` where the browser keeps nothing, `full` where there is no room, else a sentence.
 * @typedef {"denied" | "full" | string} Why
 */

/** How much is kept, in characters, which take two bytes: the oldest go first. Some browsers give a page 5 MiB. */
export const MOST_KEPT = 2_500_000;

/** Under which keys versions of this page kept the program, and the one before, wherever the page was. */
export const OLD_PROGRAM = "ez.program";
const OLD_BEFORE = "ez.before";

/** In front of the keys of a page: pages of other folders of a web space have others. @param {string} folder */
export const prefixOf = (folder) => `ez:${folder}:`;

/** A number for a text by which it is known again. @param {string} text */
export function sumOf(text) {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (const letter of text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")) {
    const code = letter.codePointAt(0) ?? 0;
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}

/** A program that nobody has written here. @param {Content} content @returns {Content} */
export function asGiven({ files, main, shown }) {
  return { files: files.map((file) => ({ name: file.name, text: file.text, ...plainExercise(file), given: sumOf(wholeOf(file)) })), main, shown };
}

/** Whether something of a file was written here. @param {SavedFile} file */
export const isOwnFile = (file) => wholeOf(file).trim() !== "" && (file.given === undefined || file.given !== sumOf(wholeOf(file)));

/** Whether something of a program was written here. @param {Content} content */
export const isOwn = ({ files }) => files.some(isOwnFile);

/** Whether two programs have the same texts and cases. @param {Content} one @param {Content} other */
const isSame = ({ files }, other) =>
  files.length === other.files.length && files.every((file, at) => other.files[at].name === file.name && wholeOf(other.files[at]) === wholeOf(file));

/** Whether all lines of a text are in a later one, in their order: then nothing would be lost with it. @param {string} text @param {string} later */
function isWithin(text, later) {
  const lines = later.split("\n");
  let at = 0;
  return text.split("\n").every((line) => {
    if (!line.trim()) return true;
    while (at < lines.length && !lines[at].includes(line)) at++;
    return at++ < lines.length;
  });
}

/**
 * Those that have something which the next later version of the same file does not have.
 * @param {Entry[]} entries The newest first. @param {Content} [current] What is newer than all of them.
 */
function distinct(entries, current) {
  const later = new Map(current?.files.map((file) => [file.name, wholeOf(file)]));
  return entries.filter(({ content }) => {
    const own = content.files.filter(isOwnFile);
    if (own.every((file) => isWithin(wholeOf(file), later.get(file.name) ?? ""))) return false;
    for (const file of own) later.set(file.name, wholeOf(file));
    return true;
  });
}

export class LocalHistory {
  #storage;
  #prefix;
  #now;
  #most;
  /** When the newest entry was written. */
  #latest = 0;
  /** What could not be kept, as long as the page is open. @type {Map<string, Entry>} */
  #unkept = new Map();

  /**
   * @param {Storage | undefined} storage Where it is kept, if the browser allows it. @param {string} folder That of the page.
   * @param {() => number} now In milliseconds since 1970. @param {number} most How much is kept.
   */
  constructor(storage, folder, now = Date.now, most = MOST_KEPT) {
    this.#most = most;
    this.#storage = storage;
    this.#prefix = `${prefixOf(folder)}text:`;
    this.#now = now;
    this.#latest = this.#all()[0]?.time ?? 0;
    this.#takeOver(`${prefixOf(folder)}moved`);
  }

  /** A key for another entry. */
  newKey() {
    return `${this.#prefix}${this.#now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  }

  /**
   * Keeps an entry, in place of the one with the same key. One that cannot be kept is there as long as the page is.
   * @param {string} key @param {Omit<Entry, "key" | "time">} what @returns {Why | undefined} Why not.
   */
  write(key, what) {
    const time = (this.#latest = Math.max(this.#now(), this.#latest + 1));
    const entry = { key, time, ...what };
    const why = this.#store(entry);
    if (why) this.#unkept.set(key, entry);
    else this.#unkept.delete(key);
    return why;
  }

  /**
   * Keeps what could not be kept before, if it can be now.
   * @param {string} [except] The key of what is kept otherwise. @returns {Why | undefined} Why not.
   */
  retry(except) {
    let reason;
    for (const entry of this.#unkept.values()) {
      if (entry.key === except) continue;
      const why = this.#store(entry);
      if (!why) this.#unkept.delete(entry.key);
      reason ??= why;
    }
    return reason;
  }

  /**
   * What was written, the newest first, without what later versions have, too.
   * @param {Content} current What is shown. @param {string} [except] The key under which that is kept.
   */
  list(current, except) {
    return distinct(this.#all().filter(({ key }) => key !== except), current);
  }

  /** The newest program; of those of a link, or else of those of none. @param {string} [link] */
  newest(link) {
    return this.#all().find((entry) => !entry.isPart && entry.link === link);
  }

  /** The key under which a program is kept with these texts, if it is. @param {Content} content */
  keyOf(content) {
    return this.#stored().find((entry) => !entry.isPart && isSame(entry.content, content))?.key;
  }

  /** Whether what was kept under a key is gone: any page can remove it. @param {string} key */
  isGone(key) {
    return this.#storage?.getItem(key) === null;
  }

  /** @param {string} key */
  remove(key) {
    this.#unkept.delete(key);
    this.#storage?.removeItem(key);
  }

  /** @returns {Entry[]} The newest first. */
  #all() {
    const stored = this.#stored().filter(({ key }) => !this.#unkept.has(key));
    return [...stored, ...this.#unkept.values()].sort((one, other) => other.time - one.time);
  }

  /** @returns {Entry[]} */
  #stored() {
    return this.#keys().flatMap((key) => {
      try {
        const entry = JSON.parse(this.#storage?.getItem(key) ?? "null");
        return isContent(entry?.content) && Number.isFinite(entry.time) ? { ...entry, key } : [];
      } catch {
        // What cannot be read is as good as nothing.
        return [];
      }
    });
  }

  #keys() {
    const storage = this.#storage;
    if (!storage) return [];
    const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
    return keys.filter((key) => key.startsWith(this.#prefix));
  }

  /** @param {Entry} entry @returns {Why | undefined} */
  #store({ key, ...entry }) {
    const why = whyNoContent(entry.content);
    if (why || !this.#storage) return why ?? "denied";
    const text = JSON.stringify(entry);
    if (key.length + text.length > this.#most) return "full";
    for (;;) {
      try {
        this.#storage.setItem(key, text);
        this.#dropOldest(key, 0);
        return;
      } catch {
        // Only what has no place makes room for something new.
        if (!this.#dropOldest(key, key.length + text.length)) return "full";
      }
    }
  }

  /**
   * Drops what is too much: first what later versions have, too, then the oldest.
   * @param {string} key That of the entry which stays. @param {number} more How much there will be besides. @returns {boolean} Whether something was dropped.
   */
  #dropOldest(key, more) {
    const sizes = new Map(this.#keys().map((one) => [one, one.length + (this.#storage?.getItem(one)?.length ?? 0)]));
    if (more) sizes.delete(key);
    let total = [...sizes.values()].reduce((sum, size) => sum + size, more);
    if (total <= this.#most) return false;
    const all = this.#stored().sort((one, other) => other.time - one.time);
    const kept = new Set(distinct(all));
    const dropped = [...all.filter((one) => !kept.has(one)).reverse(), ...[...kept].reverse()].filter((one) => one.key !== key);
    for (const one of dropped) {
      if (total <= this.#most) break;
      this.#storage?.removeItem(one.key);
      total -= sizes.get(one.key) ?? 0;
    }
    return true;
  }

  /** What an earlier version of the page has kept becomes the newest, once. @param {string} moved The key that says so. */
  #takeOver(moved) {
    try {
      if (!this.#storage || this.#storage.getItem(moved)) return;
      for (const key of [OLD_BEFORE, OLD_PROGRAM]) {
        const content = contentIn(this.#storage, key);
        if (content && !this.keyOf(content)) this.write(this.newKey(), { content });
      }
      if (!this.#unkept.size) this.#storage.setItem(moved, "1");
    } catch {
      // Then at another visit.
    }
  }
}

/** The program that is kept under a key. @param {Storage} storage @param {string} key @returns {Content | undefined} */
export function contentIn(storage, key) {
  try {
    const value = JSON.parse(storage.getItem(key) ?? "null");
    return isContent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
