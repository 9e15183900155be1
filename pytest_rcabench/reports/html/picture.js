// The window drawn: changes and alerts, log volume by level, and metrics on one time axis.
const LEVELS = ['FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', ''];
const MOST_METRICS = 12;
const NARROW = 560;
const LANE = 30;

// Draws on *width* pixels; calls *onTime* with a second, *onChange* with a change's place.
class Picture {
  constructor(view, width, { isWhole, onTime, onChange }) {
    Object.assign(this, { view, width, onTime, onChange });
    this.left = width >= NARROW ? Math.min(250, Math.round(width * 0.28)) : 0;
    this.label = this.left ? 0 : 15;
    this.right = width - (this.left ? 52 : 4);
    const earlier = view.changes.some((change) => change.at < 0);
    this.zero = this.left + (earlier ? 94 : 6);
    this.perSecond = (this.right - this.zero) / view.length;
    this.y = 20;
    this.values = [];
    this.node = svg('svg', {
      class: 'picture',
      width,
      role: 'img',
      'aria-labelledby': 'picture-title picture-about',
    });
    this.node.append(
      svg('title', { id: 'picture-title' }, 'The window, drawn'),
      svg('desc', { id: 'picture-about' }, this.about()),
    );
    this.events();
    this.volume();
    this.metrics(isWhole);
    this.frame(earlier);
    this.follow();
  }

  x(at) {
    return this.zero + Math.max(0, Math.min(at, this.view.length)) * this.perSecond;
  }

  about() {
    const { view } = this;
    const onset = view.truth
      ? `the effect begins at ${clock(view.start, view.truth.onset)}`
      : 'nothing is wrong';
    return (
      `${clock(view.start, 0, false)} to ${clock(view.start, view.length, false)} UTC; ${onset}; ` +
      `${count(view.changes.length, 'change')}, ${count(view.alerts.length, 'alert')}, ` +
      `${count(view.logs.length, 'log record')}, ${count(view.metrics.length, 'metric')}. ` +
      'Changes, alerts and log records are listed below.'
    );
  }

  // Makes room for a lane: its name and what it is about at the left, where its values go right.
  lane(height, name, about, title) {
    const top = this.y + this.label;
    const room = Math.floor((this.left ? this.left - 8 : this.width - 90) / 5.8);
    const line = (text, y, kind) => svg('text', { class: kind, x: 0, y }, short(text, room));
    const write = (y, anchor = 'start') =>
      svg('text', {
        class: 'range',
        x: anchor === 'end' ? this.width : this.right + 6,
        y,
        'text-anchor': anchor,
      });
    const [high, low] = this.label
      ? [write(this.y + 11, 'end'), write(0)]
      : [write(top + 9), write(top + height - 3)];
    const names = svg(
      'g',
      {},
      svg('title', {}, short(title ?? name, 300)),
      this.label
        ? line(`${name} ${about}`, this.y + 11, 'name')
        : [line(name, top + (about ? 11 : height / 2 + 4), 'name'), line(about, top + 24, 'range')],
    );
    this.node.append(names, high, low);
    this.y = top + height;
    const say = (above, below = '') => {
      high.textContent = this.label && below ? `${below}–${above}` : above;
      low.textContent = this.label ? '' : below;
    };
    return { top, say };
  }

  // Changes and alerts, each on the first row where its label has room.
  events() {
    const { view } = this;
    const marks = [
      ...view.alerts.map((alert) => ({
        at: alert.at,
        kind: 'alert',
        role: 'alert',
        text: short(`alert ${alert.service}`, 30),
        title: alert.summary,
      })),
      ...view.changes.map((change, place) => ({
        at: change.at,
        kind: shape[change.type] ? change.type : 'other',
        role: change.role.split(' ')[0] || 'plain',
        text: change.role.replace('distractor ', 'd'),
        title: `${change.type} ${change.service ?? ''}: ${change.message.split('\n')[0]}`,
        place,
      })),
    ];
    const ends = [];
    const { top } = this.lane(0, 'alerts, changes', '');
    for (const mark of marks.sort((a, b) => a.at - b.at)) {
      // Changes from before the window stand in a strip of their own, in their order.
      const isEarly = mark.at < 0;
      const width = mark.text ? 22 + mark.text.length * 6.8 : 13;
      const [from, to] = isEarly ? [this.left + 8, this.zero - 8] : [this.x(mark.at), this.width];
      const isLeft = !isEarly && from + width > to;
      const startsAt = (row) => (isEarly ? Math.max(from, ends[row]?.early ?? 0) : from);
      let row = 0;
      while (
        ends[row] &&
        (isEarly
          ? startsAt(row) > from && startsAt(row) + width > to
          : (ends[row].late ?? 0) > (isLeft ? from - width : from - 6))
      )
        row += 1;
      ends[row] ??= {};
      const x = startsAt(row);
      ends[row][isEarly ? 'early' : 'late'] = isLeft ? x + 8 : x + width;
      const y = top + 8 + row * 17;
      this.node.append(
        svg(
          'g',
          {
            class: `event ${mark.role}`,
            onclick: () =>
              mark.place === undefined ? this.onTime(mark.at) : this.onChange(mark.place),
          },
          svg('title', {}, short(`${clockAndDay(view.start, mark.at)} ${mark.title}`, 300)),
          shape[mark.kind](x, y, mark.role === 'plain' ? 4 : 5.5),
          svg(
            'text',
            { x: isLeft ? x - 9 : x + 9, y: y + 4, 'text-anchor': isLeft ? 'end' : 'start' },
            mark.text,
          ),
        ),
      );
    }
    this.y = top + Math.max(1, ends.length) * 17 + 8;
  }

  // A lane a level, each on its own scale: a few errors are seen beside a flood of INFO.
  volume() {
    const { view } = this;
    const bins = Math.max(12, Math.floor((this.right - this.zero) / 7));
    const second = view.length / bins;
    for (const level of LEVELS) {
      const place = view.names.indexOf(level);
      const counts = new Array(bins).fill(0);
      for (const record of view.logs) {
        if (record[LEVEL] === place && place >= 0)
          counts[Math.max(0, Math.min(bins - 1, Math.floor(record[TIME] / second)))] += 1;
      }
      const most = Math.max(...counts);
      if (most === 0) continue;
      const total = counts.reduce((sum, one) => sum + one, 0);
      const { top, say } = this.lane(LANE - 6, level || 'no level', count(total, 'record'));
      const rest = () => say(String(most));
      rest();
      const bottom = this.y - 1;
      const path = counts
        .map((one, bin) =>
          one
            ? `M${this.x(bin * second) + 0.5} ${bottom}v${-Math.max(1.5, (one / most) * (bottom - top - 2))}`
            : '',
        )
        .join('');
      this.node.append(
        svg('path', {
          class: `bars level-${(level || 'none').toLowerCase()}`,
          d: path,
          'stroke-width': Math.max(1, second * this.perSecond - 1.5),
        }),
      );
      this.values.push((at) =>
        at === null ? rest() : say(String(counts[Math.min(bins - 1, Math.floor(at / second))])),
      );
      this.y += 4;
    }
    this.y += 8;
  }

  metrics(isWhole) {
    const { view } = this;
    const [at] = turn(view);
    const order = [...view.metrics].sort((a, b) => movement(b, at) - movement(a, at));
    for (const series of isWhole ? view.metrics : order.slice(0, MOST_METRICS)) this.metric(series);
  }

  metric(series) {
    const known = series.values.filter((value) => value !== null);
    const [low, high] = [
      known.reduce((a, b) => Math.min(a, b), Infinity),
      known.reduce((a, b) => Math.max(a, b), -Infinity),
    ];
    // A name may carry labels, `name{pool="orders",…}`; their values tell series apart.
    const name = series.name.split('{')[0];
    const labels = [...series.name.matchAll(/="([^"]*)"/gu)].map((found) => found[1]);
    const about = [series.service, ...labels, series.unit].filter(Boolean).join(' · ');
    const { top, say } = this.lane(
      LANE,
      name,
      about,
      `${series.name} · ${series.service} · ${series.unit}`,
    );
    const rest = () => (known.length ? say(number(high), number(low)) : say('empty'));
    rest();
    const [bottom, span] = [this.y - 3, high - low || 1];
    let pen = 'M';
    const path = series.values
      .map((one, index) => {
        const at = series.start + index * series.step;
        if (one === null || at < 0 || at > this.view.length) {
          pen = 'M';
          return '';
        }
        // A sample between two gaps is a dot, or nobody would see it.
        const isAlone = pen === 'M' && (series.values[index + 1] ?? null) === null;
        const point = `${pen}${this.x(at).toFixed(1)} ${(bottom - ((one - low) / span) * (bottom - top - 3)).toFixed(1)}${isAlone ? 'h1' : ''}`;
        pen = 'L';
        return point;
      })
      .join('');
    this.node.append(svg('path', { class: 'line', d: path }));
    this.values.push((second) => {
      if (second === null) return rest();
      const sample = series.values[Math.round((second - series.start) / series.step)] ?? null;
      return say(sample === null ? 'gap' : number(sample));
    });
    this.y += 5;
  }

  // The axis above all lanes, and the onset and the alerts through them.
  frame(earlier) {
    const { view } = this;
    const bottom = this.y;
    const least = (view.length * 64) / (this.right - this.zero);
    const step =
      [60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].find(
        (one) => one >= least,
      ) ?? 172800;
    const offset = (Date.parse(view.start) / 1000) % step;
    const back = svg('g', { class: 'axis' });
    for (let at = offset ? step - offset : 0; at <= view.length; at += step) {
      const x = this.x(at);
      const isFirst = earlier && x < this.zero + 20;
      const isLast = x > this.width - 18;
      back.append(
        svg('path', { d: `M${x} 16V${bottom}` }),
        svg(
          'text',
          {
            x: isLast ? this.width : isFirst ? this.zero - 4 : x,
            y: 11,
            'text-anchor': isLast ? 'end' : isFirst ? 'start' : 'middle',
          },
          clock(view.start, at, false),
        ),
      );
    }
    if (earlier)
      back.append(
        svg('path', { class: 'break', d: `M${this.zero - 5} 16V${bottom}` }),
        svg('text', { x: this.left + 2, y: 11 }, 'before'),
      );
    this.node.prepend(back);
    for (const alert of view.alerts)
      this.node.append(
        svg('path', { class: 'through alert', d: `M${this.x(alert.at)} 16V${bottom}` }),
      );
    if (view.truth) {
      const x = this.x(view.truth.onset);
      const isRight = x > this.width - 60;
      this.node.append(
        svg('path', { class: 'through onset', d: `M${x} 16V${bottom + 4}` }),
        svg(
          'text',
          {
            class: 'onset',
            x: isRight ? x - 4 : x + 4,
            y: bottom + 12,
            'text-anchor': isRight ? 'end' : 'start',
          },
          `onset ${clock(view.start, view.truth.onset)}`,
        ),
      );
    }
    this.height = bottom + 18;
    this.node.setAttribute('height', this.height);
    this.node.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
  }

  // A hair under the pointer: its time above, each lane's value at its name; a click goes to the log.
  follow() {
    const hair = svg('path', { class: 'hair' });
    const time = svg('text', { class: 'hair-time', y: 11, 'text-anchor': 'middle' });
    this.node.append(hair, time);
    const at = (event) => {
      const box = this.node.getBoundingClientRect();
      const x = ((event.clientX - box.left) * this.width) / box.width;
      return x < this.zero || x > this.right
        ? null
        : Math.min(this.view.length, (x - this.zero) / this.perSecond);
    };
    const show = (second) => {
      const x = second === null ? -99 : this.x(second);
      hair.setAttribute('d', `M${x} 14V${this.height - 18}`);
      time.setAttribute('x', Math.min(Math.max(x, this.zero), this.width - 28));
      time.textContent = second === null ? '' : clock(this.view.start, second);
      for (const value of this.values) value(second);
    };
    this.node.addEventListener('pointermove', (event) => show(at(event)));
    this.node.addEventListener('pointerleave', () => show(null));
    this.node.addEventListener('click', (event) => {
      if (!event.target.closest('.event') && at(event) !== null) this.onTime(at(event));
    });
  }
}
