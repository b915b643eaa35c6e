// The text of the exercise, above the program.
import { visible } from "../../shared/elements.js";

/** @param {HTMLElement} place @param {import("../files/workspace.js").Workspace} workspace */
export function showTask(place, workspace) {
  const refresh = () => {
    const { task } = workspace.main;
    place.hidden = !task;
    const text = visible(task);
    if (place.textContent !== text) place.textContent = text;
  };
  workspace.on("changed", refresh);
  refresh();
}
