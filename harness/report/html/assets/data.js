// The index that is there at once, and the packed blocks that are opened on demand.

const index = JSON.parse(document.getElementById('index').textContent);
const {words, columns, claims, cells, earlier, cases, runs} = index;
const text = (place) => index.texts[place];

/** The cells of each claim by column: cellAt[claim][column] is a place in `cells`, or undefined. */
const cellAt = claims.id.map(() => []);
cells.claim.forEach((claim, cell) => { cellAt[claim][cells.column[cell]] = cell; });
const claimNumber = new Map(claims.id.map((id, number) => [id, number]));
const wordOf = (cell) => words[cells.word[cell]];

/** Claims whose answer is not the same on all builds; what says nothing of Chrome is no answer. */
const answersOf = cellAt.map((row) => row.filter((cell) => cell !== undefined).map(wordOf).filter((word) => SAYS_OF_CHROME.has(word)));
const changed = answersOf.map((answers) => new Set(answers).size > 1);
/** How many claims have two answers to compare: of the others nobody knows whether they changed. */
const compared = answersOf.filter((answers) => answers.length > 1).length;
const drifted = cellAt.map((row) => row.some((cell) => cell !== undefined && cells.drift[cell]));

const loaded = new Promise((resolve) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', resolve, {once: true});
  else resolve();
});
const opened = new Map();

/** The details of a case: {attempts, drawings, …}, with `files`, the scenario texts of its block. */
async function caseDetails(number) {
  await loaded;
  const place = cases.chunk[number];
  if (!opened.has(place)) opened.set(place, unpack(document.getElementById(`block-${place}`).textContent));
  const block = await opened.get(place);
  return {...block.cases[number], files: block.files, block};
}

async function unpack(base64) {
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot unpack the evidence: it has no DecompressionStream');
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}
