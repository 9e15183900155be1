// One answer: what was asked, what came, which checks it met and why, and what it took.
const STATES = new Map([
  [true, ['✓', 'passed']],
  [false, ['✗', 'failed']],
  [null, ['–', 'not judged']],
]);
const RANK = { info: 0, warning: 1, error: 2, critical: 3 };
const duration = (seconds) =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
const OF_TOP_ISSUE = new Set(['service', 'cause', 'commit']);

function checksView(checks) {
  return el(
    'ul',
    { class: 'checks' },
    checks.map((check) => {
      const [mark, word] = STATES.get(check.passed);
      return el(
        'li',
        { class: word.replace(' ', '-') },
        el('span', { class: 'state', 'aria-hidden': 'true' }, mark),
        el('strong', {}, shown(check.name)),
        el('span', { class: 'word' }, ` ${word}: `),
        el('span', {}, cut(check.detail)),
      );
    }),
  );
}

function commitView(text, shownWindow) {
  const sha = text.trim().toLowerCase();
  const places =
    !shownWindow || !/^[0-9a-f]{7,40}$/u.test(sha)
      ? []
      : shownWindow.view.changes
          .map((change, place) => [change, place])
          .filter(([change]) => change.sha?.startsWith(sha));
  if (!places.length)
    return el(
      'li',
      {},
      cut(text, 200),
      shownWindow ? el('span', { class: 'tag' }, 'not in the window') : null,
    );
  const [change, place] = places.find(([one]) => one.type === 'commit') ?? places[0];
  return el(
    'li',
    {},
    el(
      'button',
      { type: 'button', class: 'link', onclick: () => shownWindow.openChange(place) },
      change.sha.slice(0, 10),
    ),
    ' ',
    tag(change.role || 'innocent'),
    ' ',
    cut(change.message.split('\n')[0], 120),
  );
}

function evidenceView(text, shownWindow) {
  const place = shownWindow ? placeOf(text, shownWindow.view) : -1;
  return el(
    'li',
    {},
    cut(text),
    ' ',
    place < 0
      ? null
      : el(
          'button',
          { type: 'button', class: 'link to-line', onclick: () => shownWindow.jump(place) },
          `log ${clock(shownWindow.view.start, shownWindow.view.logs[place][TIME])}`,
        ),
  );
}

function issueView(issue, position, checks, shownWindow) {
  const part = (name, items, view) =>
    items?.length
      ? [
          el('h5', {}, name),
          el(
            'ul',
            {},
            items.map((text) => view(text, shownWindow)),
          ),
        ]
      : null;
  return el(
    'article',
    { class: checks ? 'issue top' : 'issue' },
    el(
      'h4',
      {},
      `${position}. `,
      el('span', { class: `severity ${issue.severity}` }, issue.severity),
      ' ',
      el('span', { class: 'service' }, cut(issue.service, 100)),
      ' ',
      cut(issue.title, 160),
    ),
    checks
      ? [
          el(
            'p',
            { class: 'judged' },
            'Judged as the root cause: the first issue of the highest severity.',
          ),
          checksView(checks),
        ]
      : null,
    el('p', { class: 'prose' }, cut(issue.cause, 2000)),
    part('Commits blamed', issue.commits, commitView),
    part('Ruled out', issue.ruled_out, commitView),
    part('Evidence given', issue.evidence, evidenceView),
    issue.reasoning
      ? [el('h5', {}, 'Reasoning'), el('p', { class: 'prose' }, cut(issue.reasoning, 4000))]
      : null,
  );
}

function answerView(cell, shownWindow) {
  const { issues = [], notes = [], repairs = [], fault } = cell.analysis ?? {};
  const top = issues.reduce(
    (best, issue, place) =>
      best < 0 || RANK[issue.severity] > RANK[issues[best].severity] ? place : best,
    -1,
  );
  const ofTop = cell.checks.filter((check) => OF_TOP_ISSUE.has(check.name));
  const ofAll = cell.checks.filter((check) => top < 0 || !OF_TOP_ISSUE.has(check.name));
  const texts = (name, list) =>
    list.length
      ? [
          el('h4', {}, name),
          el(
            'ul',
            {},
            list.map((text) => el('li', {}, cut(text, 2000))),
          ),
        ]
      : null;
  return el(
    'section',
    { class: 'answer' },
    el('h3', {}, 'What was answered'),
    cell.error
      ? el(
          'p',
          { class: 'warning' },
          'No answer: ',
          cut(`${cell.error.reason ?? 'unknown'} ${cell.error.detail ?? ''}`),
        )
      : null,
    !cell.analysis && !cell.error
      ? el('p', { class: 'warning' }, 'Of the answer only the verdict was kept.')
      : null,
    fault || cell.fault
      ? el(
          'p',
          { class: 'warning' },
          'The answer cannot be read: ',
          cut([cell.fault, fault?.detail].filter(Boolean).join(': ')),
        )
      : null,
    !issues.length && cell.analysis && !cell.fault ? el('p', {}, 'No issues: silence.') : null,
    cell.right_cause_ranked > 1
      ? el('p', {}, `The right root cause stood at place ${cell.right_cause_ranked}.`)
      : null,
    issues.map((issue, place) =>
      issueView(issue, place + 1, place === top && ofTop.length ? ofTop : null, shownWindow),
    ),
    ofAll.length ? [el('h4', {}, 'The answer as a whole'), checksView(ofAll)] : null,
    texts('Notes', notes),
    texts('Mended to read it', repairs),
  );
}

function askedView(cell, column, view) {
  const left = cell.analysis?.left_out ?? [];
  const facts = [
    ['column', `${column.name} (${column.asked.trim()})`],
    [
      'window',
      view
        ? `${clockAndDay(view.start, 0)}–${clockAndDay(view.start, view.length)} UTC, ${view.start.slice(0, 10)}`
        : 'not at hand',
    ],
    [
      'evidence',
      view
        ? [
            count(view.logs.length, 'log record'),
            count(view.metrics.length, 'metric'),
            count(view.changes.length, 'change'),
            count(view.alerts.length, 'alert'),
            count(view.traces.length, 'span'),
          ].join(', ')
        : 'not at hand',
    ],
    ['left out', left.join('; ')],
    ['prompt', column.prompt.slice(0, 10)],
  ];
  return el(
    'section',
    {},
    el('h3', {}, 'What was asked'),
    el(
      'dl',
      {},
      facts
        .filter(([, text]) => text)
        .map(([name, text]) => [el('dt', {}, name), el('dd', {}, cut(text))]),
    ),
  );
}

function truthView(view) {
  const row = (name, texts) =>
    texts.length
      ? [
          el('dt', {}, name),
          el(
            'dd',
            {},
            texts.map((text) => el('span', { class: 'phrase' }, cut(text, 120))),
          ),
        ]
      : null;
  if (!view) return null;
  if (!view.truth)
    return el(
      'section',
      { class: 'truth' },
      el('h3', {}, 'What is true'),
      el('p', {}, 'Nothing is wrong in this window: silence, or issues of info alone, is right.'),
    );
  const { truth } = view;
  return el(
    'section',
    { class: 'truth' },
    el('h3', {}, 'What is true'),
    el(
      'dl',
      {},
      row('service', [truth.service, ...truth.also_ok]),
      row('commit', truth.commits.length ? truth.commits.map((sha) => sha.slice(0, 10)) : ['none']),
      row('onset', [`${clockAndDay(view.start, truth.onset)} UTC`]),
      row('victims', truth.victims),
    ),
    el(
      'details',
      {},
      el('summary', {}, 'The words that count'),
      el(
        'dl',
        {},
        truth.cause.map((group, place) => row(place ? 'and one of' : 'one of', group)),
        row('and none of', truth.must_not),
      ),
    ),
  );
}

function costView(cell) {
  const tokens = (value) => (value === null ? 'unknown' : value.toLocaleString('en'));
  const known = cell.cost_usd === null ? 'unknown' : `$${cell.cost_usd.toFixed(4)}`;
  const isKept = cell.analysis || cell.error;
  const isFree = isKept && !cell.attempts.length;
  const price = isFree ? 'none: nobody was asked' : known;
  const facts = [
    ['model', cell.model],
    ['request', cell.request_id],
    ['tokens in', tokens(cell.usage.input_tokens)],
    ['tokens out', tokens(cell.usage.output_tokens)],
    ['cost', price],
    ['latency', isFree ? 'not timed' : isKept ? duration(cell.latency_s) : 'unknown'],
    [
      'attempts',
      cell.attempts.map((one) => `${one.outcome} after ${duration(one.latency_s)}`).join(', ') ||
        'none noted',
    ],
  ];
  return el(
    'section',
    {},
    el('h3', {}, 'What it took'),
    el(
      'dl',
      { class: 'numbers' },
      facts
        .filter(([, text]) => text)
        .map(([name, text]) => [el('dt', {}, name), el('dd', {}, cut(text))]),
    ),
    cell.reply
      ? el(
          'details',
          {},
          el('summary', {}, 'The reply as it came'),
          el(
            'pre',
            { class: 'reply', tabindex: '0', 'aria-label': 'Reply' },
            cut(cell.reply, 5000),
          ),
        )
      : null,
  );
}
