// The published trace model, and a recording put through it.
import fs from "node:fs";
import { createRequire } from "node:module";
import zlib from "node:zlib";

// The engine expects a browser's DOMRect.
globalThis.DOMRect ??= class DOMRect {
  constructor(x, y, width, height) {
    Object.assign(this, { x, y, width, height });
  }
  static fromRect({ x, y, width, height }) {
    return new DOMRect(x, y, width, height);
  }
};
console.assert = () => {}; // it says something of every frame that begins before the last one ended

const require = createRequire(import.meta.url);
const root = "@paulirish/trace_engine/";
export const { Extras, Styles, TraceModel, Types } = await import(`${root}models/trace/trace.js`);

export const textOf = (path) => fs.readFileSync(require.resolve(`${root}${path}`), "utf8");
export const version = JSON.parse(textOf("package.json")).version;

export function readDocument(path) {
  const bytes = fs.readFileSync(path);
  const document = JSON.parse(bytes[0] === 0x1f ? zlib.gunzipSync(bytes) : bytes);
  return Array.isArray(document) ? { traceEvents: document } : document;
}

export async function parse(events) {
  const model = TraceModel.Model.createWithAllHandlers();
  await model.parse(events);
  return model.parsedTrace();
}
