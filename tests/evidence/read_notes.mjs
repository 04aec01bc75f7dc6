// node read_notes.mjs <trace.json.gz>: the tracks and markers that DevTools' trace engine makes of a file, as JSON.
import fs from "node:fs";
import zlib from "node:zlib";

globalThis.DOMRect ??= class DOMRect {};
const { TraceModel } = await import("@paulirish/trace_engine/models/trace/trace.js");
const { traceEvents, metadata } = JSON.parse(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(traceEvents, { metadata });
const { extensionMarkers, extensionTrackData } = model.parsedTrace().data.ExtensionTraceData;
const tracks = {};
for (const group of extensionTrackData) {
  for (const [name, entries] of Object.entries(group.entriesByTrack)) {
    tracks[`${group.name}/${name}`] = entries.map((entry) => [entry.name, entry.ts, entry.dur]);
  }
}
process.stdout.write(JSON.stringify({ markers: extensionMarkers.map((one) => [one.name, one.ts]), tracks, dpr: metadata.hostDPR }));
