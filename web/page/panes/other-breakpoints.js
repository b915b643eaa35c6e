// The rows of breakpoints that are at no line.
import { ask, iconButton, textButton } from "../base/controls.js";
import { make, visible } from "../../shared/elements.js";

/** @typedef {import("../engine/other-breakpoints.js").OtherBreakpoints} OtherBreakpoints */

/** @param {OtherBreakpoints} others */
export function otherRows(others) {
  return [...others.functions.map((one) => functionRow(one, others)), ...others.data.map((one) => dataRow(one, others))];
}

/** @param {OtherBreakpoints["functions"][number]} one @param {OtherBreakpoints} others */
function functionRow({ asked, told }, others) {
  const name = visible(asked.name);
  const said = [asked.condition && `if ${asked.condition}`, asked.hitCondition && `hits ${asked.hitCondition}`, told && !told.verified && told.message];
  const open = textButton(`At the start of ${name}`, () => editFunction(others, asked), "what");
  const more = said.filter(Boolean).join("; ");
  if (more) open.append(make("small", "", visible(more)));
  return row(`Breakpoint of ${name}`, asked.enabled !== false, open,
    (enabled) => others.setFunction({ ...asked, enabled }), () => others.removeFunction(asked.name));
}

/** @param {OtherBreakpoints["data"][number]} one @param {OtherBreakpoints} others */
function dataRow({ id, description = "a value", enabled, message }, others) {
  const text = make("span", "what", `When ${visible(description)} changes`);
  if (message) text.append(make("small", "", visible(message)));
  return row(`Breakpoint of ${visible(description)}`, enabled, text, (isOn) => others.enableData(id, isOn), () => others.removeData(id));
}

/** @param {string} name @param {boolean} isOn @param {HTMLElement} text @param {(isOn: boolean) => void} turn @param {() => void} remove */
function row(name, isOn, text, turn, remove) {
  const box = make("input", "");
  Object.assign(box, { type: "checkbox", checked: isOn });
  box.setAttribute("aria-label", `${name} is on`);
  box.addEventListener("change", () => turn(box.checked));
  return make("li", "", box, text, iconButton("close", `Remove the ${name.replace(/^B/, "b")}`, remove));
}

/** Asks for a function at whose start the program stops. @param {OtherBreakpoints} others @param {import("../engine/other-breakpoints.js").OfFunction} [known] */
export function editFunction(others, known) {
  ask({
    title: "Breakpoint of a function",
    fields: [
      { name: "name", label: "Function", value: known?.name ?? "", hint: "Its name; module.name if it is in another file" },
      { name: "condition", label: "Condition", value: known?.condition ?? "", hint: "Stop only if this is true; it can use the parameters" },
      { name: "hitCondition", label: "Hits", value: known?.hitCondition ?? "", hint: "5 is the fifth time, >= 5 from then on, % 5 each fifth time" },
    ],
    button: "Set",
    take: (values) => {
      const given = Object.fromEntries(Object.entries(values).map(([field, text]) => [field, text.trim()]).filter(([, text]) => text));
      if (!given.name) return "A name is missing.";
      others.setFunction({ name: given.name, ...given, enabled: known?.enabled ?? true }, known?.name);
    },
    other: known && { text: "Remove", action: () => others.removeFunction(known.name) },
  });
}
