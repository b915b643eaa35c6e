// Where the browser keeps things from visit to visit.
import { prefixOf } from "./history.js";

/** The folder of the page: there may be others on the same web space. */
export const FOLDER = new URL(".", location.href).pathname;

/** Where things are kept; some browsers allow it nowhere. @param {"localStorage" | "sessionStorage"} name @returns {Storage | undefined} */
export function storage(name) {
  try {
    return window[name];
  } catch {
    return undefined;
  }
}

/** Whether the theme is chosen, and which; versions before kept it for the whole web space. */
const THEME = `${prefixOf(FOLDER)}theme`;
const OLD_THEME = "ez.theme";

/** Shows the page in a theme, `light` or `dark`; that of the system for any other name. @param {string} name */
export function showTheme(name) {
  const theme = name.toLowerCase();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** @returns {string | null} */
export function keptTheme() {
  try {
    return localStorage.getItem(THEME) ?? localStorage.getItem(OLD_THEME);
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
