// What is kept in the browser from visit to visit.
import { isContent } from "./workspace.js";

/** @typedef {import("./workspace.js").Content} Content */

const KEY = "ez.program";
/** The program that was replaced last by another one. */
const BEFORE = "ez.before";

/**
 * The program of the last visit: of this tab of the browser, or else of the tab that was used last.
 * @returns {Content | undefined}
 */
export const kept = () => read(KEY);

/** The program that was replaced last. @returns {Content | undefined} */
export const keptBefore = () => read(BEFORE);

/** Keeps a program that is replaced by another one. @param {Content} content */
export const keepBefore = (content) => write(BEFORE, content);

/** Keeps a program. @param {Content} content @returns {boolean} Whether that was possible. */
export const keep = (content) => write(KEY, content);

/** @param {string} key @returns {Content | undefined} */
function read(key) {
  for (const storage of storages()) {
    try {
      const value = JSON.parse(storage.getItem(key) ?? "null");
      if (isContent(value)) return value;
    } catch {
      // What cannot be read is as good as nothing.
    }
  }
}

/** @param {string} key @param {Content} content @returns {boolean} Whether that was possible. */
function write(key, content) {
  if (!isContent(content)) return false;
  const text = JSON.stringify(content);
  const all = storages();
  for (const storage of all) {
    try {
      storage.setItem(key, text);
    } catch {
      return false;
    }
  }
  return all.length > 0;
}

/** Where things can be kept; some browsers allow it nowhere. @returns {Storage[]} */
function storages() {
  const all = [];
  for (const name of /** @type {const} */ (["sessionStorage", "localStorage"])) {
    try {
      all.push(window[name]);
    } catch {
      // It is forbidden.
    }
  }
  return all;
}

/** Whether the theme is chosen, and which. */
const THEME = "ez.theme";

/** @returns {string | null} */
export function keptTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

/** @param {string} theme */
export function keepTheme(theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // Then it lasts as long as the page.
  }
}
