// Pictures of buttons, as paths in a square of 16.

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  run: "M4 2.5v11L13 8z",
  debug: "M3 2.5v11L9 8zM12 3.2a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  into: "M7 1h2v7h3l-4 4-4-4h3zM6 13h4v2H6z",
  over: "M8 3a6 6 0 0 1 5.6 4H15l-2.6 3.5L9.8 7h1.6A4 4 0 0 0 4 8.6H2A6 6 0 0 1 8 3zM6.500 12h3v3h-3z",
  out: "M7 12V5H4l4-4 4 4H9v7zM6 13h4v2H6z",
  continue: "M2 3h2v10H2zM6 3v10l8-5z",
  back: "M12 3v10L4 8z",
  reverse: "M14 3v10L8 8zM8 3v10L2 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  restart: "M8 3a5 5 0 1 1-4.900 6h2a3 3 0 1 0 2.900-4v2.500L4 4l4-3.500z",
  stop: "M3.500 3.500h9v9h-9z",
  more: "M3 7h2v2H3zM7 7h2v2H7zM11 7h2v2h-2z",
  choose: "M7 1h2v5h3l-4 4-4-4h3zM3 12h2v2H3zM7 12h2v2H7zM11 12h2v2h-2z",
  close: "M4 3l4 4 4-4 1 1-4 4 4 4-1 1-4-4-4 4-1-1 4-4-4-4z",
  add: "M7 3h2v4h4v2H9v4H7V9H3V7h4z",
  theme: "M8 1.500A6.500 6.500 0 1 0 8 14.500 6.500 6.500 0 0 0 8 1.500zm0 2v9a4.500 4.500 0 0 1 0-9z",
};

/** @typedef {keyof typeof PATHS} Icon */

/** A picture; assistive technology does not see it. @param {Icon} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
