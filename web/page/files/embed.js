// The page in a frame of another page: `?embed`, with the program in the fragment. See docs/web.md.
import { make } from "../../shared/elements.js";
import { fragmentOf } from "./share.js";

/**
 * What is shown in a frame.
 * @typedef {object} Embedded
 * @property {("code" | "state" | "output")[]} panes
 * @property {boolean} isDebugged Whether there is more than Run and Stop.
 * @property {boolean} isReadOnly
 * @property {boolean} isGuided Whether a page of the same folder acts in it: the tour.
 */

const PANES = /** @type {const} */ (["code", "state", "output"]);

/**
 * What the address asks for, nothing if the page is not embedded.
 * @param {string} search @returns {Embedded | undefined}
 */
export function embeddedBy(search) {
  const given = new URLSearchParams(search);
  if (!given.has("embed")) return undefined;
  const isDebugged = given.get("mode") !== "run";
  const wanted = (given.get("panes") ?? "").split(",");
  const panes = PANES.filter((pane) => wanted.includes(pane));
  const usual = isDebugged ? [...PANES] : PANES.filter((pane) => pane !== "state");
  return { panes: panes.length ? panes : usual, isDebugged, isReadOnly: given.has("readonly"), isGuided: given.has("guided") };
}

/**
 * The text that puts the page into another one.
 * @param {string} page The address of the page. @param {string} fragment @param {string} mode `run` or `step`.
 */
export function frameText(page, fragment, mode) {
  const address = new URL(`?embed&mode=${mode}${fragment}`, page).href.replaceAll("&", "&amp;").replaceAll('"', "%22");
  return `<iframe src="${address}" title="A program in EZ" width="100%" height="480" loading="lazy"></iframe>`;
}

/**
 * The link that opens the program as it is now in a tab of its own.
 * @param {import("./workspace.js").Workspace} workspace @param {import("../editor/editor.js").Editor} editor
 */
export function elsewhere(workspace, editor) {
  const link = make("a", "elsewhere", "Open in a tab");
  Object.assign(link, { href: location.pathname + location.hash, target: "_blank", rel: "noopener" });
  let changes = 0;
  const refresh = async () => {
    const change = ++changes;
    const address = location.pathname + await fragmentOf(workspace.content());
    if (change === changes) link.href = address;
    return address;
  };
  workspace.on("changed", refresh);
  editor.on("text", refresh);
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    open(await refresh(), "_blank", "noopener");
  });
  return link;
}
