/**
 * Resolves when the page has been drawn again, or soon if it is hidden: then nothing is drawn.
 * @returns {Promise<void>}
 */
export function nextFrame() {
  return new Promise((resolve) => {
    const frame = requestAnimationFrame(() => done());
    const timer = setTimeout(() => done(), 100);
    function done() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      resolve();
    }
  });
}
