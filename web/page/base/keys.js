// Keys by what is written on them, whatever keyboard it is.

/**
 * The letter that a shortcut has: also while Caps Lock is on, and on keyboards of other scripts the Latin letter of the same
 * key. Other keys by their names.
 * @param {KeyboardEvent} event
 */
export function letterOf({ key = "", code }) {
  if (/^[ -~]$/.test(key)) return key.toLowerCase();
  return [...key].length === 1 ? /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? key : key;
}

/** How a key is written in a tooltip; letters are small ones. @param {KeyboardEvent} event */
export function keyOf(event) {
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  return [ctrlKey || metaKey ? "Ctrl" : "", altKey ? "Alt" : "", shiftKey ? "Shift" : "", letterOf(event)].filter(Boolean).join("+");
}
