// The window beside an answer: its picture, its changes with their diffs, its alerts and its log.
const tag = (role) => (role ? el('span', { class: `tag ${role.split(' ')[0]}` }, role) : null);

function diffView(diff) {
  const kind = (line) => {
    if (/^((---|\+\+\+) ([ab]\/|\/dev\/null)|diff |index )/u.test(line)) return 'file';
    return { '+': 'added', '-': 'removed', '@': 'place' }[line[0]] ?? '';
  };
  return el(
    'pre',
    { class: 'diff', tabindex: '0', 'aria-label': 'Diff' },
    diff
      .replace(/\n$/u, '')
      .split('\n')
      .map((line) => el('span', { class: kind(line) }, cut(line, 2000), '\n')),
  );
}

function changeView(view, change, place) {
  const [subject, ...rest] = change.message.split('\n');
  const about = [
    ['time', clockAndDay(view.start, change.at)],
    ['sha', change.sha],
    ['author', change.author],
    ['host', change.host],
    ['version', change.version],
    ['key', change.key],
    ['before', change.before],
    ['after', change.after],
  ];
  const details = el(
    'details',
    { id: `change-${place}`, class: `change ${change.role.split(' ')[0]}` },
    el(
      'summary',
      {},
      el('time', {}, clockAndDay(view.start, change.at)),
      ' ',
      el('span', { class: 'type' }, change.type),
      ' ',
      el('span', { class: 'service' }, shown(change.service ?? change.host ?? '')),
      ' ',
      tag(change.role),
      ' ',
      el(
        'span',
        { class: 'subject' },
        cut(subject || `${change.key ?? ''} ${change.version ?? ''}`.trim(), 200),
      ),
    ),
    change.why ? el('p', { class: 'why' }, 'Why it misleads: ', shown(change.why)) : null,
    el(
      'dl',
      {},
      about
        .filter(([, text]) => text)
        .map(([name, text]) => [el('dt', {}, name), el('dd', {}, cut(text))]),
    ),
    rest.join('\n').trim()
      ? el('p', { class: 'message' }, cut(rest.join('\n').trim(), 4000))
      : null,
    change.files && !change.diff
      ? el(
          'ul',
          {},
          change.files.map((file) => el('li', {}, shown(file))),
        )
      : null,
  );
  // A diff may have thousands of lines, and most of them are never looked at.
  if (change.diff)
    details.addEventListener('toggle', () => details.append(diffView(change.diff)), { once: true });
  return details;
}

function tracesView(traces) {
  if (!traces.length) return null;
  const head = ['trace', 'service', 'name', 'start', 'ms', 'status', 'error'];
  const fields = ['trace_id', 'service', 'name', 'start', 'duration_ms', 'status', 'error'];
  return el(
    'details',
    { class: 'traces' },
    el('summary', {}, count(traces.length, 'span')),
    el(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Spans' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            head.map((name) => el('th', { scope: 'col' }, name)),
          ),
        ),
        el(
          'tbody',
          {},
          traces.slice(0, 500).map((span) =>
            el(
              'tr',
              {},
              fields.map((name) => el('td', {}, cut(String(span[name]), 80))),
            ),
          ),
        ),
      ),
    ),
    traces.length > 500 ? el('p', {}, `The first 500 of ${traces.length}.`) : null,
  );
}

// Returns the window's element, `draw()` for when its width is known, and how to go to its parts.
function windowView(view) {
  const log = logView(view);
  const figure = el('figure', {});
  const changes = view.changes.map((change, place) => changeView(view, change, place));
  const openChange = (place) => {
    changes[place].open = true;
    changes[place].querySelector('summary').focus();
    changes[place].scrollIntoView({ block: 'center' });
  };
  const toTime = (at) => {
    const place = nearest(view, at);
    log.jump(place < 0 ? view.logs.length - 1 : place);
  };
  let isWhole = view.metrics.length <= MOST_METRICS;
  const draw = () => {
    const width = figure.clientWidth;
    if (!width) return;
    const picture = new Picture(view, width, { isWhole, onTime: toTime, onChange: openChange });
    const all = el(
      'button',
      {
        type: 'button',
        onclick: () => {
          isWhole = true;
          draw();
        },
      },
      `Show all ${view.metrics.length} metrics`,
    );
    const [, name] = turn(view);
    figure.replaceChildren(
      picture.node,
      el(
        'figcaption',
        {},
        '● commit  ▲ deploy  ■ flag, config, secret, scale, event  ◆ alert. ',
        view.truth?.commits.length ? 'The culprit is named. ' : '',
        view.distractors.length ? 'd1, d2, … are distractors. ' : '',
        isWhole ? null : [`The ${MOST_METRICS} metrics that moved most at the ${name}. `, all],
      ),
    );
  };
  const element = el(
    'div',
    { class: 'window' },
    figure,
    view.alerts.length
      ? [
          el('h3', {}, 'Alerts'),
          el(
            'ul',
            { class: 'alerts' },
            view.alerts.map((alert) =>
              el(
                'li',
                {},
                el(
                  'button',
                  {
                    type: 'button',
                    class: 'link',
                    onclick: () => toTime(alert.at),
                    'aria-label': `Log at ${clock(view.start, alert.at)}`,
                  },
                  clock(view.start, alert.at),
                ),
                ' ',
                el('span', { class: 'service' }, shown(alert.service)),
                ' ',
                cut(alert.summary || alert.metric),
              ),
            ),
          ),
        ]
      : null,
    el('h3', {}, 'Changes'),
    changes.length ? changes : el('p', {}, 'None.'),
    tracesView(view.traces),
    view.logs.length ? log.element : el('p', {}, 'No log records.'),
  );
  return { element, draw, openChange, jump: log.jump };
}
