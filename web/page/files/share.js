// Programs in links: compressed in the fragment, which browsers send to nobody.
import { plainExercise } from "./cases.js";
import { MOST_TEXT, TOO_LONG, whyNoContent } from "./workspace.js";

/** @typedef {import("./workspace.js").Content} Content */

/** What is in front of a program; the number is that of the format. */
const FORMAT = 1;
const LINK = /^#ez(\d+)=(.*)$/s;
/** Signs that were encoded, once or more often. */
const ENCODED = /%(?:25)*([0-7][\da-f])/gi;

/** A link cannot be read; the message is a sentence. */
export class BrokenLink extends Error {}

/** What a link has of a program. @param {Content} content @returns {Content} */
const shared = ({ files, main }) => ({ files: files.map((file) => ({ name: file.name, text: file.text, ...plainExercise(file) })), main });

/** The fragment of a link with a program. @param {Content} content */
export async function fragmentOf(content) {
  const compressed = new Blob([JSON.stringify(shared(content))]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(compressed).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return `#ez${FORMAT}=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/**
 * A fragment without what programs that pass links on do to them: they encode signs, break lines, and append a full stop,
 * a bracket, or parameters of their own. What is left has letters of this format only.
 * @param {string} fragment
 */
export function plainFragment(fragment) {
  const decoded = fragment.replace(ENCODED, (_, code) => String.fromCharCode(parseInt(code, 16)));
  const found = LINK.exec(decoded);
  if (!found) return fragment;
  // Letters of later formats are not known.
  if (Number(found[1]) > FORMAT) return decoded;
  return `#ez${FORMAT}=${/^[\w-]*/.exec(found[2].replace(/\s/g, ""))?.[0]}`;
}

/**
 * The program of a fragment, nothing if it has none.
 * @param {string} fragment A plain one. @returns {Promise<Content | undefined>} Rejected with `BrokenLink`.
 */
export async function contentOf(fragment) {
  if (!fragment.startsWith("#ez")) return undefined;
  const found = LINK.exec(fragment);
  if (found && Number(found[1]) > FORMAT) {
    throw new BrokenLink("The link was made by a newer version of this page, and cannot be read here.");
  }
  if (!found) throw new BrokenLink("The link is broken: it has been cut or changed.");
  let content;
  try {
    const letters = atob(found[2].replaceAll("-", "+").replaceAll("_", "/"));
    content = JSON.parse(await decompressed(Uint8Array.from(letters, (letter) => letter.charCodeAt(0))));
  } catch (error) {
    throw error instanceof BrokenLink ? error : new BrokenLink("The link is broken: it has been cut or changed.");
  }
  const why = whyNoContent(content);
  if (why) throw unopened(why);
  return shared(/** @type {Content} */ (content));
}

/** @param {string} why A sentence. */
const unopened = (why) => new BrokenLink(`The program of the link cannot be opened. ${why}`);

/** A text; it is not read further than a program can be long. @param {Uint8Array<ArrayBuffer>} bytes */
async function decompressed(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > 2 * MOST_TEXT) throw unopened(TOO_LONG);
  }
}
