// The log of a window: searched, narrowed, shown a page at a time, and jumped into.
const PAGE = 200;
const [TIME, SERVICE, HOST, LEVEL, MESSAGE, NOISE] = [0, 1, 2, 3, 4, 5];
const RANKS = { '': 0, DEBUG: 1, INFO: 2, WARN: 3, ERROR: 4, FATAL: 5 };

const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function options(values) {
  return values.map(([value, text]) => el('option', { value }, short(text, 40)));
}

// Returns the log's element and `jump(index)`, which shows one record whatever is filtered.
function logView(view) {
  const { logs, names } = view;
  const services = [...new Set(logs.map((record) => record[SERVICE]))];
  const search = el('input', {
    type: 'search',
    name: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'text in a line',
  });
  const level = el(
    'select',
    { name: 'level' },
    options([
      ['0', 'all levels'],
      ['3', 'WARN and worse'],
      ['4', 'ERROR and worse'],
    ]),
  );
  const service = el(
    'select',
    { name: 'service' },
    options([
      ['', 'all services'],
      ...services.map((place) => [place, names[place] || 'no service']),
    ]),
  );
  const found = el('output', { role: 'status' });
  const list = el('ol', { class: 'lines', tabindex: '0', 'aria-label': 'Log records' });
  const earlier = el('button', { type: 'button', onclick: () => show(first - PAGE) }, 'Earlier');
  const later = el('button', { type: 'button', onclick: () => show(first + PAGE) }, 'Later');
  let hits = logs.map((_, index) => index);
  let first = 0;

  function row(index) {
    const record = logs[index];
    const name = names[record[LEVEL]];
    const pattern = search.value ? new RegExp(escapeRegExp(search.value), 'giu') : null;
    return el(
      'li',
      { id: `line-${index}`, class: name ? `level-${name.toLowerCase()}` : '', tabindex: '-1' },
      el('time', {}, clock(view.start, record[TIME])),
      el('span', { class: 'level' }, name || '·'),
      el('span', { class: 'service', title: names[record[HOST]] }, shown(names[record[SERVICE]])),
      record[NOISE].map((number) =>
        el(
          'span',
          { class: 'tag distractor', title: view.distractors[number - 1].noise },
          `noise ${number}`,
        ),
      ),
      el('span', { class: 'message' }, cut(record[MESSAGE], 360, pattern)),
    );
  }

  function show(from) {
    first = Math.max(0, Math.min(from, hits.length - 1));
    const page = hits.slice(first, first + PAGE);
    list.replaceChildren(...page.map(row));
    list.scrollTop = 0;
    earlier.disabled = first === 0;
    later.disabled = first + PAGE >= hits.length;
    found.value =
      hits.length === 0
        ? 'no record'
        : `${(first + 1).toLocaleString('en')}–${(first + page.length).toLocaleString('en')} of ${count(hits.length, 'record')}`;
  }

  function narrow() {
    const text = search.value.toLowerCase();
    hits = [];
    logs.forEach((record, index) => {
      if (
        (RANKS[names[record[LEVEL]]] ?? 0) >= Number(level.value) &&
        (service.value === '' || record[SERVICE] === Number(service.value)) &&
        (!text || record[MESSAGE].toLowerCase().includes(text))
      )
        hits.push(index);
    });
    show(0);
  }

  function jump(index) {
    if (!hits.includes(index)) {
      [search.value, level.value, service.value] = ['', '0', ''];
      narrow();
    }
    show(Math.max(0, hits.indexOf(index) - 20));
    const line = document.getElementById(`line-${index}`);
    line.classList.add('target');
    line.scrollIntoView({ block: 'center' });
    line.focus({ preventScroll: true });
  }

  const toolbar = el(
    'form',
    {
      class: 'filters',
      'aria-label': 'Search the log',
      oninput: narrow,
      onsubmit: (event) => event.preventDefault(),
    },
    el('label', {}, 'Search ', search),
    el('label', {}, 'Level ', level),
    el('label', {}, 'Service ', service),
    earlier,
    later,
    found,
  );
  show(0);
  return { element: el('section', { class: 'log' }, el('h3', {}, 'Log'), toolbar, list), jump };
}

// Returns the place of the record that *text*, a model's piece of evidence, speaks of; -1 for none.
function placeOf(text, view) {
  const said = text.match(/(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d(?::\d\d)?)/u);
  const at =
    said &&
    (Date.parse(`${said[1] ?? view.start.slice(0, 10)}T${said[2]}Z`) - Date.parse(view.start)) /
      1000;
  const isTimed = at !== null && at >= 0 && at <= view.length;
  const quotes = [text, ...[...text.matchAll(/["'`“](.{12,}?)["'`”]/gu)].map((found) => found[1])]
    .map((quote) => quote.trim())
    .filter((quote) => quote.length >= 12);
  let best = -1;
  let distance = Infinity;
  view.logs.forEach(({ [MESSAGE]: message, [TIME]: time }, place) => {
    const isMeant =
      quotes.some((quote) => message.includes(quote)) ||
      (message.length > 30 && text.includes(message));
    // Of several records that are quoted alike, the one nearest to the time that is told.
    const away = isTimed ? Math.abs(time - at) : 0;
    if (isMeant && away < distance) [best, distance] = [place, away];
  });
  return best >= 0 || !isTimed ? best : nearest(view, at, text);
}

// Returns the first record from second *at* on, of a service that *text* names where there is one.
function nearest(view, at, text = '') {
  const from = view.logs.findIndex((record) => record[TIME] >= at);
  const named = view.logs.findIndex(
    (record, index) =>
      index >= from &&
      from >= 0 &&
      record[TIME] < at + 60 &&
      view.names[record[SERVICE]] &&
      text.includes(view.names[record[SERVICE]]),
  );
  return named >= 0 ? named : from;
}
