// Keeps the focus in the page: where the element that has it is removed, hidden or disabled, one beside it gets it.
// Browsers give it to nothing then, and who uses a keyboard or a screen reader begins at the top.

const FOCUSABLE = "button, input, select, textarea, a[href], [tabindex='0'], #editor";

/** How many elements are remembered that had the focus: an element that opens a menu may be gone when that closes. */
const MOST = 4;

/**
 * An element that had the focus, and what is around it, from inside to outside, with its place among all that can have
 * the focus there.
 * @typedef {{ element: Element, around: { element: Element, at: number }[] }} Place
 */

const isUsable = (/** @type {Element} */ element) => element.isConnected && !element.closest("[hidden], [inert], :disabled");

/** What can have the focus in an element. @param {Element} element */
const within = (element) => /** @type {HTMLElement[]} */ ([...element.querySelectorAll(FOCUSABLE)]);

/** @param {Element} element @returns {Place} */
function placeOf(element) {
  const around = [];
  for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
    around.push({ element: outer, at: within(outer).indexOf(/** @type {HTMLElement} */ (element)) });
  }
  return { element, around };
}

/** The element nearest to a place that can have the focus now. @param {Place} place */
function nearest({ around }) {
  for (const { element, at } of around) {
    if (!isUsable(element)) continue;
    const found = within(element).filter((one) => isUsable(one) && one.checkVisibility());
    if (found.length) return found[Math.max(0, Math.min(at, found.length - 1))];
    // The pane itself.
    if (element instanceof HTMLElement && element.tabIndex >= 0) return element;
  }
}

/** Begins to do so. */
export function keepFocus() {
  /** The latest first. @type {Place[]} */
  let places = [];
  const note = () => {
    const element = document.activeElement;
    // The user has put the focus nowhere.
    if (!element || element === document.body) places = [];
    else if (element !== places[0]?.element) places = [placeOf(element), ...places].slice(0, MOST);
  };
  for (const event of ["focusin", "keydown", "pointerup"]) document.addEventListener(event, note, { capture: true });
  const look = () => {
    const [last] = places;
    const { activeElement } = document;
    if (!last || isUsable(last.element) || (activeElement !== document.body && activeElement !== last.element)) return;
    for (const place of places) {
      const next = nearest(place);
      if (next) return next.focus({ preventScroll: true });
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ["hidden", "disabled"] });
}
