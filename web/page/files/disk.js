// Files of the user's disk.
import { visible } from "../../shared/elements.js";
import { MOST_TEXT } from "./workspace.js";

/** @typedef {import("./workspace.js").SavedFile} SavedFile */

/**
 * Lets the user choose files.
 * @param {(files: SavedFile[]) => void} opened @param {(text: string) => void} refused Told why not.
 */
export function openFiles(opened, refused) {
  const input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true, accept: ".ez,.in,.out,.ans,text/plain" });
  input.addEventListener("change", () => readFiles([...(input.files ?? [])], opened, refused));
  input.click();
}

/**
 * Reads files that were chosen or dropped.
 * @param {File[]} files @param {(files: SavedFile[]) => void} opened @param {(text: string) => void} refused
 */
export async function readFiles(files, opened, refused) {
  /** @type {SavedFile[]} */
  const all = [];
  for (const file of files) {
    if (file.size > MOST_TEXT) return refused(`${file.name} is too large for a program.`);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      all.push({ name: file.name, text: text.replaceAll("\r\n", "\n") });
    } catch {
      return refused(`${file.name} cannot be read as text in UTF-8.`);
    }
  }
  if (all.length) opened(all);
}

/**
 * Saves a text, or bytes, in the folder for downloads.
 * @param {string} path Its name is that of the file. @param {string | Uint8Array<ArrayBuffer>} content
 */
export function saveFile(path, content) {
  const link = document.createElement("a");
  const type = typeof content === "string" ? "text/plain" : "application/octet-stream";
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = visible(path.split("/").at(-1) ?? path);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
