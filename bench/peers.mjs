// node peers.mjs parse|engine <trace.json> <folder with node_modules>: the seconds that node's JSON.parse, or that and
// DevTools' own trace model, take for a file.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

globalThis.DOMRect ??= class DOMRect {
  constructor(x, y, width, height) {
    Object.assign(this, { x, y, width, height });
  }
};

const [, , what, file, folder] = process.argv;
let engine;
if (what === "engine") {
  const require = createRequire(path.join(folder, "x.js"));
  engine = await import(pathToFileURL(require.resolve("@paulirish/trace_engine/models/trace/trace.js")));
}
const cpu = process.cpuUsage();
const start = process.hrtime.bigint();
const trace = JSON.parse(fs.readFileSync(file, "utf8"));
if (engine) {
  const model = engine.TraceModel.Model.createWithAllHandlers();
  await model.parse(trace.traceEvents);
  if (!model.parsedTrace()) throw new Error("no parsed trace");
}
const wall = Number(process.hrtime.bigint() - start) / 1e9;
const used = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ wall_s: wall, cpu_s: (used.user + used.system) / 1e6 }));
