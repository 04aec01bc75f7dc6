// One verdict: the claim in words, why, how to repeat it, the evidence, every finding, the scenario.

async function detailView(claim, column) {
  const cell = cellAt[claim][column];
  const word = wordOf(cell);
  const about = [
    el('p', {}, el('a', {href: backLink()}, '← All claims')),
    el('h1', {}, claims.id[claim]),
    el('p.says', {}, text(claims.says[claim])),
    text(claims.refutedBy[claim]) ? el('p.says.dim', {}, `Refuted by: ${text(claims.refutedBy[claim])}`) : null,
    el('nav.strip', {'aria-label': 'This claim on each build'}, columns.map((one, i) => cellAt[claim][i] === undefined ? null :
      el('a', {href: claimLink(claim, i), 'aria-current': i === column ? 'true' : null, title: `${one.product} ${one.version}`},
        el('span', {}, columnLabel(one)), verdictChip(wordOf(cellAt[claim][i]), {drift: Boolean(cells.drift[cellAt[claim][i]])})))),
    el('dl.facts', {},
      fact('verdict', [verdictChip(word, {drift: Boolean(cells.drift[cell])}), ' ', tally(cells.met[cell], cells.valid[cell], cells.interval[cell]),
        cells.attempts[cell] > cells.valid[cell] ? ` valid attempts, ${cells.attempts[cell]} run` : '']),
      fact('expected', [verdictChip(words[cells.expected[cell]]), text(cells.known[cell]) ? ` ${text(cells.known[cell])}` : '']),
      text(cells.why[cell]) ? fact('reason', text(cells.why[cell])) : null,
      fact('build', `${columns[column].product} ${columns[column].version}, ${columns[column].mode}, raster by ${columns[column].raster}`)),
  ];
  const parts = [];
  for (const number of cells.cases[cell]) parts.push(...await caseView(number, claim));
  if (!parts.length) parts.push(el('p.note', {}, 'The ledger holds no case for this verdict.'));
  return [...about, ...parts];
}

async function caseView(number, claim) {
  const details = await caseDetails(number);
  const id = claims.id[claim];
  const own = (attempt) => attempt.findings.filter((finding) => finding.claims.includes(id));
  const telling = details.attempts.find((attempt) => own(attempt).some((finding) => finding.outcome === 'unmet')) ?? details.attempts.find((attempt) => own(attempt).length);
  const shown = own(telling ?? {findings: []}).find((finding) => finding.outcome === 'unmet') ?? own(telling ?? {findings: []})[0];
  const evidence = evidenceView(details, number, id, telling, shown);
  const section = el('section.case', {'aria-label': details.scenario},
    el('h2', {}, el('code', {}, details.scenario), ' ', verdictChip(details.verdicts[id])),
    el('p.says', {}, details.title),
    details.reasons[id] || details.reason ? el('p', {}, details.reasons[id] || details.reason) : null,
    failures(details),
    evidence.element,
    findingsView(details, id, telling, evidence),
    details.repeat ? [el('h3', {}, 'Run exactly this again'), command(details.repeat)] : null,
    yamlView(details, own(telling ?? {findings: []})),
    recordingsView(details));
  return [section];
}

function failures(details) {
  const said = details.attempts.filter((attempt) => attempt.error || !attempt.valid)
    .map((attempt) => el('li', {}, `Attempt ${attempt.number} ${attempt.error ? `failed: ${attempt.error}` : `is no evidence: ${attempt.reasons.join('; ')}`}`));
  return said.length ? el('ul', {}, said) : null;
}

/** The drawings of the telling attempt, with those of another build or attempt beside them: at first of the nearest build
    that answers otherwise. */
function evidenceView(details, number, id, telling, shown) {
  const holder = el('section', {'aria-label': 'Evidence'});
  const named = (drawing, where) => ({...drawing, heading: [where, drawing.arm === 'main' ? '' : drawing.arm].filter(Boolean).join(' · '), path: `${details.folder}/${drawing.trace}`});
  const of = (one, attempt) => one.drawings.filter((drawing) => attempt === undefined || drawing.attempt === attempt);
  const told = telling?.number ?? details.drawings[0]?.attempt;
  const mine = of(details, told);
  if (!mine.length) {
    holder.append(el('h3', {}, 'Evidence'), el('p.note', {}, details.notes.join(' ') || 'Nothing was recorded for this case, or its recordings were not drawn.'));
    return {element: holder, current: null};
  }
  const others = [];
  for (const [other, one] of Object.entries(details.block.cases)) {
    if (Number(other) === number || !one.drawings.length || one.scenario !== details.scenario) continue;
    others.push([`case ${other}`, columnLabel(columns[cases.column[other]]), one, undefined]);
  }
  for (const attempt of new Set(details.drawings.map((drawing) => drawing.attempt))) {
    if (attempt !== told) others.push([`attempt ${attempt}`, `attempt ${attempt}`, details, attempt]);
  }
  const result = {element: holder, current: null, finding: shown?.index ?? null};
  const build = (key) => {
    const beside = others.find(([one]) => one === key);
    const here = columnLabel(columns[cases.column[number]]);
    let drawings = mine.map((drawing) => named(drawing, beside ? `${here}${beside[2] === details ? `, attempt ${told}` : ''}` : ''));
    if (beside) {
      const [, words, one, attempt] = beside;
      const best = attempt ?? one.drawings[0].attempt;
      drawings = [...drawings, ...of(one, best).map((drawing) => named(drawing, words))];
    }
    result.current?.remove();
    result.current = timeline(drawings, result.finding);
    holder.append(result.current);
  };
  holder.append(el('h3', {}, `Evidence: attempt ${told}${telling && mine.length > 1 ? `, ${plural(mine.length, 'arm')} on one scale` : ''}`));
  const contrast = SAYS_OF_CHROME.has(details.verdicts[id]) ? others.filter(([,, one]) => one !== details && SAYS_OF_CHROME.has(one.verdicts[id]) && one.verdicts[id] !== details.verdicts[id]) : [];
  const away = ([key]) => Math.abs(cases.column[Number(key.split(' ')[1])] - cases.column[number]);
  const first = contrast.sort((a, b) => away(a) - away(b))[0]?.[0] ?? '';
  if (others.length) holder.append(choice('Beside it', [['', 'nothing'], ...others.map(([key, words]) => [key, words])], first, build));
  if (details.notes.length) holder.append(el('p.note', {}, details.notes.join(' ')));
  build(first);
  return result;
}

/** Each expectation of the claim: how it came out in every attempt, and what was found. */
function findingsView(details, id, telling, evidence) {
  const indexes = [...new Set(details.attempts.flatMap((attempt) => attempt.findings.filter((finding) => finding.claims.includes(id)).map((finding) => finding.index)))];
  if (!indexes.length) return null;
  return el('section', {'aria-label': 'Findings'}, el('h3', {}, `What was asked (${plural(indexes.length, 'expectation')})`), indexes.map((which) => {
    const all = details.attempts.map((attempt) => [attempt, attempt.findings.find((finding) => finding.index === which)]).filter(([, finding]) => finding);
    const worst = all.find(([, finding]) => finding.outcome === 'unmet') ?? all.find(([attempt]) => attempt === telling) ?? all[0];
    const one = worst[1];
    const button = evidence.current ? el('button', {type: 'button', onclick: () => { evidence.finding = which; evidence.current.show(which); evidence.current.scrollIntoView({block: 'nearest'}); }}, 'Show its events in the timeline') : null;
    return el('details.finding', {open: indexes.length < 4 || one.outcome !== 'met'},
      el('summary', {}, el(`span.outcomes.o-${one.outcome}`, {role: 'img', 'aria-label': outcomesInWords(all)}, all.map(([, finding]) => OUTCOMES[finding.outcome]).join('')), ' ', one.summary),
      el('', {}, el('pre', {}, one.text), el('p.dim', {}, `${one.place} · ${plural(one.population, 'event')} looked at${one.arm && one.arm !== 'main' ? ` · arm ${one.arm}` : ''}${one.block ? ` · block ${one.block}` : ''}`),
        one.details.map((line) => el('p', {}, line)), measuresView(one), button,
        eventsTable('Near misses', one.misses, evidence), eventsTable('Events', one.matched, evidence),
        all.length > 1 ? attemptsTable(all) : null));
  }));
}

function outcomesInWords(all) {
  const counts = new Map();
  for (const [, finding] of all) counts.set(finding.outcome, (counts.get(finding.outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${outcome} in ${plural(count, 'attempt')}`).join(', ');
}

/** The numbers that were tested: the median of the blocks, its interval, and every value. */
function measuresView(finding) {
  if (!finding.measures?.length) return null;
  const number = (value) => value === null || value === undefined ? '' : Number(value.toPrecision(5)).toLocaleString('en', {maximumFractionDigits: 4});
  if (finding.measures.every((one) => one.values.length < 2)) {
    return el('p', {}, finding.measures.map((one) => `${one.name}${one.arm && one.arm !== 'main' ? ` (${one.arm})` : ''}: ${number(one.median)} ${one.unit}`).join(' · '));
  }
  return el('.scroll', {tabindex: '0', role: 'region', 'aria-label': 'Numbers'}, el('table', {},
    el('thead', {}, el('tr', {}, ['number', 'arm', 'median', 'interval', 'blocks', 'first block', 'order'].map((name) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, finding.measures.map((one) => el('tr', {}, el('td', {}, one.name), el('td', {}, one.arm),
      el('td', {}, `${number(one.median)} ${one.unit}`),
      el('td', {}, one.low === null ? '' : `${number(one.low)} to ${number(one.high)} (${percent(one.confidence)})`),
      el('td', {}, one.values.length > 1 ? one.values.map(number).join(', ') : ''), el('td', {}, number(one.warm_up)), el('td', {}, number(one.order)))))));
}

function eventsTable(title, events, evidence) {
  if (!events) return null;
  if (!Array.isArray(events)) return el('p.dim', {}, `${title}: ${events}, in the ledger; those of an earlier attempt are shown there.`);
  return el('.scroll', {tabindex: '0', role: 'region', 'aria-label': title}, el('table', {},
    el('caption.hidden', {}, title),
    el('thead', {}, el('tr', {}, ['event', 'at', 'for', 'thread', 'in', title === 'Events' ? 'why' : 'missed because', 'arguments'].map((name) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, events.map((event) => el('tr', {},
      el('td', {}, evidence.current && event.ph ? el('button', {type: 'button', title: 'Show in the timeline', onclick: () => evidence.current.goTo(event.seq, event.name)}, event.name) : event.name),
      el('td', {}, `${thousands(Math.round(event.ts))} µs`), el('td', {}, event.dur === null ? '' : duration(event.dur)),
      el('td', {}, event.thread), el('td', {}, event.parents.join(' › ')), el('td', {}, event.note.replace(/^missed: /, '')),
      el('td', {}, el('code', {}, event.args)))))));
}

function attemptsTable(all) {
  return el('details', {}, el('summary', {}, `All ${all.length} attempts`), el('.scroll', {tabindex: '0', role: 'region', 'aria-label': 'Attempts'}, el('table', {},
    el('thead', {}, el('tr', {}, ['attempt', 'outcome', 'found', 'events', 'load'].map((name) => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, all.map(([attempt, finding]) => el('tr', {}, el('td', {}, String(attempt.number)),
      el('td', {}, el(`span.o-${finding.outcome}`, {}, `${OUTCOMES[finding.outcome]} ${finding.outcome}`)), el('td', {}, finding.summary),
      el('td', {}, String(finding.population)), el('td', {}, String(attempt.load))))))));
}

function yamlView(details, findings) {
  const source = details.files[details.file];
  if (!source) return el('p.note', {}, `The scenario ${details.file} was not there when this report was made.`);
  const marked = new Set();
  for (const finding of findings) {
    const line = Number(finding.place.split(':').at(-2));
    for (let i = 0; i < finding.text.split('\n').length; i++) marked.add(line + i);
  }
  const lines = source.replace(/\n$/, '').split('\n');
  const list = el('ol', {}, lines.map((line, i) => el(`li${marked.has(i + 1) ? '.here' : ''}`, {}, line || ' ')));
  const box = el('.yaml', {tabindex: '0', role: 'region', 'aria-label': `${details.file}, the expectations of this claim are marked`}, el('code', {}, list));
  const part = el('details', {}, el('summary', {}, el('h3', {style: null}, `Scenario: ${details.file}`)), box);
  part.addEventListener('toggle', () => { const here = box.querySelector('.here'); if (part.open && here) box.scrollTop = here.offsetTop - box.offsetTop - 60; });
  return part;
}

function recordingsView(details) {
  const all = details.attempts.flatMap((attempt) => attempt.recordings.map((recording) => [attempt, recording]));
  if (!all.length) return null;
  const [, first] = all[0];
  return el('details', {}, el('summary', {}, el('h3', {}, `Recordings (${all.length})`)),
    el('p.note', {}, 'Each opens in Perfetto and, unless DevTools finds no frames in it, in DevTools (Performance › Load profile). A copy with the findings written into it opens in both:'),
    command(`traceproof annotate ${details.folder}/${first.trace} ${details.file}`),
    el('p.note', {}, 'As a picture, of as many events as you like:'), command(`traceproof draw ${details.folder}/${first.trace} ${details.file} -o evidence.svg`),
    el('.scroll', {tabindex: '0', role: 'region', 'aria-label': 'Recordings'}, el('table', {},
      el('thead', {}, el('tr', {}, ['attempt', 'arm', 'file', 'events', 'size', 'recorder', 'categories', 'remarks'].map((name) => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, all.map(([attempt, one]) => el('tr', {}, el('td', {}, String(attempt.number)), el('td', {}, one.arm + (one.block ? ` ${one.block}` : '')),
        el('td', {}, el('code', {title: `sha256 ${one.sha256}`}, one.trace)), el('td.number', {}, thousands(one.events)), el('td.number', {}, bytes(one.bytes)),
        el('td', {}, one.recorder), el('td', {}, one.categories.join(', ')),
        el('td', {}, [...one.invalid, ...Object.entries(one.anomalies).map(([name, count]) => `${count} ${name}`)].join('; '))))))));
}
