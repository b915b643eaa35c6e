// The programs of the folder `examples`.
import bank from "../../../examples/bank.ez";
import bubbleSort from "../../../examples/bubble_sort.ez";
import cleanup from "../../../examples/cleanup.ez";
import errors from "../../../examples/errors.ez";
import factorial from "../../../examples/factorial.ez";
import fizzbuzz from "../../../examples/fizzbuzz.ez";
import guess from "../../../examples/guess.ez";
import hello from "../../../examples/hello.ez";
import primes from "../../../examples/primes.ez";
import project from "../../../examples/project/main.ez";
import change from "../../../examples/project/geometry/change.ez";
import vector from "../../../examples/project/geometry/vector.ez";
import shapes from "../../../examples/shapes.ez";
import wordCount from "../../../examples/word_count.ez";

/** @typedef {import("./workspace.js").Content} Content */
/** @typedef {{ title: string, about: string, content: Content }} Example */

/** What a program says about itself in its first line. @param {string} text */
const about = (text) => /^\/\/\s*(.*)/.exec(text)?.[1].replaceAll("`", "") ?? "";

/** @param {string} name @param {string} text @returns {Example} */
const single = (name, text) => ({ title: name.replace(".ez", "").replaceAll("_", " "), about: about(text), content: { files: [{ name, text }], main: name } });

/** @type {Example[]} */
export const EXAMPLES = [
  single("hello.ez", hello),
  single("fizzbuzz.ez", fizzbuzz),
  single("guess.ez", guess),
  single("factorial.ez", factorial),
  single("bubble_sort.ez", bubbleSort),
  single("primes.ez", primes),
  single("word_count.ez", wordCount),
  single("shapes.ez", shapes),
  single("bank.ez", bank),
  single("errors.ez", errors),
  single("cleanup.ez", cleanup),
  {
    title: "several files",
    about: about(project),
    content: {
      files: [{ name: "main.ez", text: project }, { name: "geometry/vector.ez", text: vector }, { name: "geometry/change.ez", text: change }],
      main: "main.ez",
    },
  },
];

/** What is open at the first visit. */
export const FIRST = EXAMPLES[0].content;
