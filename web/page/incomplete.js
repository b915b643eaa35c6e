// Says why the page is not loaded, where waiting does not help. A script of the usual kind: browsers load modules neither
// from the disk nor in frames that have no origin.
{
  const place = document.getElementById("incomplete");
  const text = location.protocol === "file:"
    ? "This page cannot be opened from the disk, where browsers load only a part of it. Put its folder on a web space, or show it on this computer only: ez playground FOLDER."
    : origin === "null" && "This frame does not allow the page to load its own files: the attribute sandbox of the frame needs allow-same-origin beside allow-scripts.";
  if (place && text) {
    place.textContent = text;
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("body > :not(#incomplete, header)"))) part.hidden = true;
  }
}
