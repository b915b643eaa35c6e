// The page as a user has it: `node test/page.mjs DIR [FILTER]`, where DIR is what `build.mjs` has built, with the
// engine, or the address at which it is served; of the tests those run that have FILTER in their names.
import { run } from "./harness.mjs";
import "./page/running.mjs";
import "./page/debugging.mjs";
import "./page/past.mjs";
import "./page/keys.mjs";
import "./page/files.mjs";
import "./page/kept.mjs";
import "./page/moments.mjs";
import "./page/notices.mjs";
import "./page/hostile.mjs";
import "./page/everybody.mjs";
import "./page/offline.mjs";
import "./page/engine.mjs";
import "./page/ways.mjs";
import "./page/often.mjs";
import "./page/places.mjs";
import "./page/tour.mjs";
import "./page/cases.mjs";
import "./page/exercises.mjs";

const [where = "dist", filter = ""] = process.argv.slice(2);
process.exitCode = (await run(where, filter)) ? 0 : 1;
