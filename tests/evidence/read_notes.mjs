// node read_notes.mjs <trace.json.gz>: what DevTools' trace engine makes of a file (tracks, markers, metadata), as JSON.
import fs from "node:fs";
import zlib from "node:zlib";

globalThis.DOMRect ??= class DOMRect {};
const { TraceModel } = await import("@paulirish/trace_engine/models/trace/trace.js");
const { traceEvents, metadata } = JSON.parse(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(traceEvents, { metadata });
const { ExtensionTraceData, ImagePainting } = model.parsedTrace().data;
const { extensionMarkers, extensionTrackData } = ExtensionTraceData;
const tracks = {};
for (const group of extensionTrackData) {
  for (const [name, entries] of Object.entries(group.entriesByTrack)) {
    tracks[`${group.name}/${name}`] = entries.map((entry) => [entry.name, entry.ts, entry.dur]);
  }
}
// Whether the engine has put sizes of images right by the ratio of the screen, which it reads from the metadata.
const corrected = ImagePainting.didCorrectForHostDpr;
const markers = extensionMarkers.map((one) => [one.name, one.ts]);
process.stdout.write(JSON.stringify({ markers, tracks, dpr: metadata.hostDPR, corrected }));
