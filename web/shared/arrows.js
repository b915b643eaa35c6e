// Arrows from references to the boxes of objects.

const SVG = "http://www.w3.org/2000/svg";

/** The picture in which arrows are drawn. */
export function arrowLayer() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "arrows");
  svg.setAttribute("aria-hidden", "true");
  const marker = document.createElementNS(SVG, "marker");
  const attributes = { id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" };
  for (const [name, value] of Object.entries(attributes)) marker.setAttribute(name, value);
  const tip = document.createElementNS(SVG, "path");
  tip.setAttribute("d", "M0 0l8 4-8 4z");
  marker.append(tip);
  const definitions = document.createElementNS(SVG, "defs");
  definitions.append(marker);
  svg.append(definitions);
  return svg;
}

/**
 * Draws an arrow from each reference.
 * @param {HTMLElement} area What scrolls. @param {SVGSVGElement} svg
 * @param {HTMLElement} frames Where the variables are. @param {HTMLElement} heap Where the objects are.
 */
export function drawArrows(area, svg, frames, heap) {
  svg.querySelectorAll("path.arrow").forEach((path) => path.remove());
  svg.setAttribute("width", "1");
  svg.setAttribute("height", "1");
  const origin = area.getBoundingClientRect();
  const [above, below] = [frames.getBoundingClientRect(), heap.getBoundingClientRect()];
  const isBelow = below.top >= above.bottom;
  const [left, top] = [origin.left - area.scrollLeft + area.clientLeft, origin.top - area.scrollTop + area.clientTop];
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (area.querySelectorAll("a.ref"))) {
    const box = area.querySelector(`#object-${link.dataset.to}`);
    if (!box) continue;
    const from = link.getBoundingClientRect();
    const to = box.getBoundingClientRect();
    // Out of an array's cell below it, so that the line does not strike out its neighbours.
    const down = link.closest(".cells") ? 34 : 0;
    const [x1, y1] = down
      ? [(from.left + from.right) / 2 - left, from.bottom - top + 1]
      : [from.right - left, (from.top + from.bottom) / 2 - top];
    // Where the objects are below the variables, round the variables on the right.
    const isAround = isBelow && frames.contains(link);
    const [x2, y2] = [(isAround ? to.right + 1 : to.left - 1) - left, to.top - top + 13];
    const bend = x2 > x1 ? Math.max(18, (x2 - x1) / 2) : 60;
    const edge = Math.max(x1, x2, above.right - left - 30) + 20;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", isAround
      ? `M${x1} ${y1}C${edge} ${y1} ${edge} ${y2} ${x2} ${y2}`
      : `M${x1} ${y1}C${x1 + (down ? 8 : bend)} ${y1 + down} ${x2 - bend} ${y2} ${x2} ${y2}`);
    path.setAttribute("class", "arrow");
    path.setAttribute("marker-end", "url(#tip)");
    path.dataset.to = link.dataset.to;
    svg.append(path);
  }
}

/**
 * Lights up an object and what points at it, when the mouse or the focus is on a reference; a click goes to the object.
 * @param {HTMLElement} area
 */
export function followReferences(area) {
  const toOf = (/** @type {Event} */ { target }) => /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest("a.ref") : null)?.dataset.to;
  const lit = (/** @type {Event} */ event) => light(area, toOf(event));
  area.addEventListener("mouseover", lit);
  area.addEventListener("focusin", lit);
  area.addEventListener("click", (event) => {
    const to = toOf(event);
    if (to === undefined) return;
    event.preventDefault();
    const box = /** @type {HTMLElement | null} */ (area.querySelector(`#object-${to}`));
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: "nearest", inline: "nearest" });
    light(area, to);
  });
}

/** @param {HTMLElement} area @param {string | undefined} number */
function light(area, number) {
  for (const lit of area.querySelectorAll(".lit")) lit.classList.remove("lit");
  if (number === undefined) return;
  area.querySelector(`#object-${number}`)?.classList.add("lit");
  for (const path of area.querySelectorAll(`path.arrow[data-to="${number}"]`)) path.classList.add("lit");
}
