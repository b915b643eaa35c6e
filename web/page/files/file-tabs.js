// The open files as tabs.
import { ask, iconButton, openMenu, textButton } from "../base/controls.js";
import { make, visible } from "../../shared/elements.js";
import { WrongName } from "./workspace.js";

/** @typedef {import("./workspace.js").Workspace} Workspace */
/** @typedef {import("./workspace.js").File} File */

/**
 * @param {HTMLElement} place @param {Workspace} workspace
 * @param {((file: File) => void) | undefined} remove Takes a file out of the program; nothing if files can neither be
 *     added nor changed.
 */
export function showFiles(place, workspace, remove) {
  const refresh = () => {
    const tabs = workspace.files.map((file) => tab(file, workspace, remove));
    const more = remove ? [iconButton("add", "New file", () => newFile(workspace))] : [];
    place.replaceChildren(...tabs, ...more);
  };
  workspace.on("changed", refresh);
  workspace.on("shown", refresh);
  refresh();
}

/** @param {File} file @param {Workspace} workspace @param {((file: File) => void) | undefined} remove */
function tab(file, workspace, remove) {
  const name = visible(file.name);
  const isMain = workspace.main === file && workspace.files.length > 1;
  const open = textButton(name, () => workspace.show(file), isMain ? "name main" : "name");
  if (isMain) open.title = `${name} is the program that is run`;
  const isShown = workspace.shown === file;
  if (isShown) open.setAttribute("aria-current", "true");
  const element = make("div", isShown ? "file shown" : "file", open);
  if (isShown && remove) {
    const menu = iconButton("more", `More about ${name}`, () => openMenu(menu, choices(file, workspace, remove)));
    element.append(menu);
  }
  return element;
}

/** @param {File} file @param {Workspace} workspace @param {(file: File) => void} remove */
function choices(file, workspace, remove) {
  const take = (/** @type {Record<string, string>} */ { name }) => attempt(() => workspace.rename(file, name.trim()));
  const fields = [{ name: "name", label: "Name", value: file.name }];
  const all = [{ text: "Rename …", action: () => ask({ title: `Rename ${file.name}`, fields, button: "Rename", take }) }];
  if (workspace.main !== file) all.unshift({ text: "Make it the program that is run", action: () => workspace.setMain(file) });
  if (workspace.files.length > 1) all.push({ text: "Remove from the program", action: () => remove(file) });
  return all;
}

/** @param {Workspace} workspace */
function newFile(workspace) {
  const take = (/** @type {Record<string, string>} */ { name }) => attempt(() => {
    if (workspace.files.some((file) => file.name === name.trim())) throw new WrongName(`There is already a file ${name.trim()}.`);
    workspace.show(workspace.add({ name: name.trim(), text: "" }));
  });
  ask({ title: "New file", fields: [{ name: "name", label: "Name", value: workspace.freeName() }], button: "Add", take });
}

/** What is wrong with a name, if anything is. @param {() => void} action */
function attempt(action) {
  try {
    action();
  } catch (error) {
    if (error instanceof WrongName) return error.message;
    throw error;
  }
}
