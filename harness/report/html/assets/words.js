// Words, signs and numbers that every view shares.

const SIGNS = {
  HOLDS: '✓', SOMETIMES: '◐', REFUTED: '✕', INCONCLUSIVE: '?', NOT_APPLICABLE: '–', UNSUPPORTED: '∅', ERROR: '!',
};
const SHORT = {NOT_APPLICABLE: 'N/A', INCONCLUSIVE: 'INCONCL.', UNSUPPORTED: 'UNSUPP.'};
const SAYS_OF_CHROME = new Set(['HOLDS', 'SOMETIMES', 'REFUTED']);
const OUTCOMES = {met: '✓', unmet: '✕', invalid: '?', error: '!'};

const grouped = new Intl.NumberFormat('en');
const thousands = (count) => grouped.format(count);
const plural = (count, word) => `${thousands(count)} ${word}${count === 1 ? '' : 's'}`;

/** A duration in microseconds as DevTools writes it: 12.5 ms. */
function duration(us) {
  const size = Math.abs(us);
  if (size >= 1e6) return `${(us / 1e6).toFixed(size >= 1e7 ? 1 : 3)} s`;
  if (size >= 1e3) return `${(us / 1e3).toFixed(size >= 1e5 ? 0 : size >= 1e4 ? 1 : 2)} ms`;
  return `${Number(us.toFixed(size >= 100 ? 0 : 2))} µs`;
}

const bytes = (count) => count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} MB` : `${Math.ceil(count / 1e3)} kB`;
const percent = (share) => `${Math.round(share * 100)} %`;
const when = (iso) => iso.slice(0, 16).replace('T', ' ');
const major = (column) => column.version.split('.')[0];

/** `156 shell`; with the raster where the columns differ in it. */
function columnLabel(column) {
  return `${major(column)} ${column.mode}${column.raster === 'gpu' ? ' gpu' : ''}`;
}

/** The name of a column in a link. */
function columnKey(column) {
  return [column.version, column.mode, ...(column.raster === 'software' ? [] : [column.raster])].join('-');
}

/** JSON text with a line for each member. It is not parsed: ids beyond 2^53 would come out as others. */
function spread(json) {
  let depth = 0;
  const line = () => `\n${' '.repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"?|[{}[\],:]/g, (part) => {
    if ('{['.includes(part)) { depth++; return part + line(); }
    if ('}]'.includes(part)) { depth = Math.max(depth - 1, 0); return line() + part; }
    return part === ',' ? part + line() : part === ':' ? ': ' : part;
  }).replace(/([{[])\s+([}\]])/g, '$1$2');
}

/** `2 of 3 (95 %: 21 % to 94 %)` */
function tally(met, valid, interval) {
  if (!valid) return '';
  return `${met} of ${valid}` + (interval ? ` (95 %: ${percent(interval[0])} to ${percent(interval[1])})` : '');
}
