// What is kept in the browser from visit to visit.
import { isContent } from "./workspace.js";

/** @typedef {import("./workspace.js").Content} Content */

const KEY = "ez.program";

/**
 * The program of the last visit: of this tab of the browser, or else of the tab that was used last.
 * @returns {Content | undefined}
 */
export function kept() {
  for (const storage of storages()) {
    try {
      const value = JSON.parse(storage.getItem(KEY) ?? "null");
      if (isContent(value)) return value;
    } catch {
      // What cannot be read is as good as nothing.
    }
  }
}

/** Keeps a program. @param {Content} content @returns {boolean} Whether that was possible. */
export function keep(content) {
  const text = JSON.stringify(content);
  const all = storages();
  for (const storage of all) {
    try {
      storage.setItem(KEY, text);
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
