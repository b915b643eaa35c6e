// The workers of this version of the page, which the service worker helps where they cannot be suspended.
import { servedBy } from "../offline/offline.js";
import { ownScript } from "../base/trusted.js";
import { Workers } from "./workers.js";

export const ownWorkers = () => new Workers(() => new Worker(ownScript("worker.js?v=@@VERSION@@")), { url: "ez.wasm?v=@@VERSION@@", sum: "@@ENGINE@@" }, servedBy);
