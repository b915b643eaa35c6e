// The page's policy lets no text become a script's address, nor markup, unless it passes here.

const OWN = ["worker.js", "sw.js"];

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("ez", {
  createScriptURL(/** @type {string} */ address) {
    if (OWN.includes(address.split("?")[0])) return address;
    throw new TypeError(`${address} is no script of this page`);
  },
});

/** The address of one of the page's own scripts. @param {string} address @returns {string} */
export const ownScript = (address) => policy?.createScriptURL(address) ?? address;
