// Panes of which one is shown at a time.

/**
 * Makes tabs of the panes in an element: each has a `data-title`.
 * @param {HTMLElement} bar The place of the tabs. @param {HTMLElement[]} panes
 * @param {(pane: HTMLElement) => void} shown Called when another one is shown.
 */
export function makeTabs(bar, panes, shown = () => {}) {
  bar.setAttribute("role", "tablist");
  const tabs = panes.map((pane) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${pane.id}`;
    tab.textContent = pane.dataset.title ?? pane.id;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", pane.id);
    pane.setAttribute("role", "tabpanel");
    pane.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => show(pane.id));
    return tab;
  });
  bar.append(...tabs);
  bar.addEventListener("keydown", ({ key }) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!by) return;
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const next = (at + by + tabs.length) % tabs.length;
    show(panes[next].id);
    tabs[next].focus();
  });

  /** Shows a pane. @param {string} id */
  function show(id) {
    panes.forEach((pane, at) => {
      const isShown = pane.id === id;
      pane.hidden = !isShown;
      tabs[at].setAttribute("aria-selected", String(isShown));
      tabs[at].tabIndex = isShown ? 0 : -1;
      if (isShown) shown(pane);
    });
  }

  show(panes[0].id);
  return { show, titled: (/** @type {string} */ id, /** @type {string} */ title) => { tabs[panes.findIndex((pane) => pane.id === id)].textContent = title; } };
}
