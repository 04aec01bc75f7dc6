// Elements. Text of traces only ever becomes a text node or an attribute, never HTML.

/** el('a.link', {href, onclick, ...}, ...children); children are nodes, texts, or lists of them; null is left out. */
function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const made = document.createElement(tag || 'div');
  if (classes.length) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ''));
  return made;
}

/** A verdict: sign, word, and a mark where it is not the expected one. */
function verdictChip(word, {drift = false, short = false} = {}) {
  return el(`span.verdict.v-${word}${drift ? '.drift' : ''}`, {title: drift ? `${word}, not as expected` : word},
    el('span.sign', {'aria-hidden': 'true'}, SIGNS[word]),
    el('span.word', {}, short ? SHORT[word] ?? word : word),
    drift ? el('span.away', {}, el('span', {'aria-hidden': 'true'}, '▲'), el('span.hidden', {}, ' not as expected')) : null);
}

function copyButton(text, label = 'Copy') {
  const button = el('button.copy', {type: 'button', 'aria-label': `${label}: ${text}`}, label);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

const command = (text) => el('p.command', {}, el('code', {tabindex: '0'}, text), copyButton(text));

/** A select with its label. options: [value, text] pairs. */
function choice(label, options, value, onchange) {
  const select = el('select', {'aria-label': label, onchange: () => onchange(select.value)},
    options.map(([one, text]) => el('option', {value: one, selected: one === value}, text)));
  return el('label.choice', {}, el('span', {}, label), select);
}
