// Each claim's line of verdicts over the versions of Chrome, with the release where it changed.

let everyClaim = false;

function historyView() {
  const turns = claims.id.map((_, claim) => linesOf(claim)).map((lines) => Math.max(...lines.map((line) => line.turns)));
  const order = claims.id.map((_, claim) => claim).filter((claim) => everyClaim || turns[claim] > 0);
  const toggle = el('button', {type: 'button', 'aria-pressed': String(everyClaim), onclick: () => { everyClaim = !everyClaim; route(); }}, 'Every claim');
  return [
    el('h1', {}, 'History'),
    el('p', {}, `${plural(turns.filter((count) => count > 0).length, 'claim')} changed the answer from one version of Chrome to another. `, toggle),
    new Set(columns.map((column) => column.version)).size < 2 ? el('p.note', {}, 'There is one version here. Give the ledgers of several: traceproof report out -o report.html') : null,
    el('.history', {}, order.map((claim) => el('.entry', {},
      el('a.claim-id', {href: claimLink(claim, cells.column[cellAt[claim].find((cell) => cell !== undefined)])}, claims.id[claim]),
      el('span.dim', {}, ` ${text(claims.says[claim])}`),
      linesOf(claim).map((line) => historyLine(claim, line)), before(claim)))),
  ];
}

/** One line for each mode and raster; a turn is a change of answer, and what says nothing of Chrome is no answer. */
function linesOf(claim) {
  const lines = new Map();
  for (const cell of cellAt[claim]) {
    if (cell === undefined) continue;
    const column = columns[cells.column[cell]];
    const key = column.mode + (column.raster === 'software' ? '' : ` ${column.raster}`);
    if (!lines.has(key)) lines.set(key, {name: key, parts: []});
    const {parts} = lines.get(key);
    if (parts.length && parts.at(-1).word === wordOf(cell)) parts.at(-1).cells.push(cell);
    else parts.push({word: wordOf(cell), cells: [cell]});
  }
  return [...lines.values()].map((line) => {
    const answers = line.parts.map((part) => part.word).filter((word) => SAYS_OF_CHROME.has(word));
    return {...line, turns: answers.filter((word, i) => i && word !== answers[i - 1]).length};
  });
}

function historyLine(claim, line) {
  let answer = '';
  let before = '';
  return el('.stretches', {}, el('span.where.dim', {}, line.name), line.parts.map((part) => {
    const [first, last] = [part.cells[0], part.cells.at(-1)].map((cell) => columns[cells.column[cell]]);
    const says = SAYS_OF_CHROME.has(part.word);
    const turn = says && answer && answer !== part.word;
    // Versions that have no build here may have changed it as well.
    const between = Number(before) + 1 < Number(major(first)) ? `${Number(before) + 1} to ${major(first)}` : major(first);
    if (says) [answer, before] = [part.word, major(last)];
    const stretch = el('a.stretch', {href: claimLink(claim, cells.column[part.cells[0]]), title: part.cells.map((cell) => columns[cells.column[cell]].version).join(', ')},
      verdictChip(part.word, {drift: part.cells.some((cell) => cells.drift[cell])}),
      el('small', {}, first === last ? major(first) : `${major(first)} … ${major(last)}`));
    stretch.style.setProperty('--span', part.cells.length);
    const release = turn ? el('span.turn', {title: `changed in ${between === major(first) ? between : `one of the releases ${between}`}`}, `→ ${between}`) : null;
    return [release, stretch];
  }));
}

/** What earlier runs on the same builds said, where it was something else. */
function before(claim) {
  const said = [];
  earlier.claim.forEach((one, i) => {
    const now = cellAt[one][earlier.column[i]];
    if (one === claim && earlier.word[i] !== cells.word[now]) {
      said.push(`before on ${columnLabel(columns[earlier.column[i]])}: ${words[earlier.word[i]]} ${tally(earlier.met[i], earlier.valid[i])} (${when(runs[earlier.run[i]].started)})`);
    }
  });
  return said.map((line) => el('p.note', {}, line));
}
