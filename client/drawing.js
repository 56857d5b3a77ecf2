// Everything drawn by hand, as SVG: marks, grids, the scribble along a line, tallies, stairs. Plain shapes in, elements
// out; a cell is 100 units wide. The same shape always comes out the same.

import { boardOf } from './position.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Four hands for each mark, so that neighbours never look stamped. @type {Record<Mark, string[][]>} */
const HANDS = {
  X: [
    ['M22 21C36 36 60 63 79 80', 'M78 20C63 37 41 60 21 79'],
    ['M19 24C38 39 59 61 81 76', 'M79 21C62 36 39 63 23 81'],
    ['M24 19C39 41 62 61 78 82', 'M81 25C60 39 41 62 20 76'],
    ['M20 21C41 37 62 65 80 78', 'M76 18C64 38 38 59 23 82'],
  ],
  O: [
    ['M57 18C35 14 17 31 18 52C19 72 35 84 53 82C72 80 84 66 82 47C80 29 66 18 48 19'],
    ['M45 19C27 23 16 38 19 56C22 74 38 84 56 81C74 78 84 62 81 44C78 27 62 16 44 20'],
    ['M60 20C40 12 20 26 18 47C16 69 32 84 51 83C71 82 84 67 83 48C82 31 69 18 53 18'],
    ['M49 17C31 18 17 31 17 50C17 70 31 83 50 83C69 83 83 69 83 51C83 33 71 19 55 17'],
  ],
};

/**
 * @param {string} tag
 * @param {Record<string, string | number | false | undefined>} attributes
 * @param {Element[]} children
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** @param {string} name */
export const icon = (name) => svg('svg', { class: 'icon', 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));

/** @param {Mark} mark @param {number} hand */
const strokes = (mark, hand) => HANDS[mark][hand % 4].map((d) => svg('path', { d, pathLength: 1 }));

/** Which of the four hands draws the mark of a cell. */
const handOf = (cell = 0, columns = 3) => cell * 7 + Math.floor(cell / columns);

/** @param {Mark} mark */
export function drawMark(mark, cell = 0, columns = 3) {
  const drawn = svg('g', {}, ...strokes(mark, handOf(cell, columns)));
  return svg('svg', { class: 'mark', 'data-mark': mark, viewBox: '0 0 100 100', 'aria-hidden': 'true' }, drawn);
}

/** Repeatable, from -2 to 2. */
const waver = (seed = 0) => ((Math.sin(seed * 12.9898) * 43758.5453) % 1) * 2;

/** A line that is ruled by hand: one cubic, its ends a little short. */
function ruled(x1 = 0, y1 = 0, x2 = 0, y2 = 0, seed = 0, by = 1) {
  const at = (part = 0, off = 0) => {
    const [x, y] = x1 === x2 ? [x1 + off, y1 + (y2 - y1) * part] : [x1 + (x2 - x1) * part, y1 + off];
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  const [a, b, c, d] = [1, 2, 3, 4].map((nth) => waver(seed * 7 + nth) * by);
  return `M${at(0.012, a)}C${at(0.33, b)} ${at(0.66, c)} ${at(0.988, d)}`;
}

/** The lines between the cells. `bold` is how much heavier than on a sheet. @param {Shape} shape */
export function drawGrid({ rows, columns, falls, nested }, bold = 1) {
  const grid = svg('g', { class: 'grid' });
  const [width, height] = [columns * 100, rows * 100];
  /** @param {string} d @param {number} weight @param {string} [name] */
  const add = (d, weight, name) =>
    grid.append(svg('path', { d, 'stroke-width': weight * bold, class: name, pathLength: 1 }));
  if (nested) {
    let thin = '';
    for (let board = 0; board < 9; board += 1) {
      const [x, y] = [(board % 3) * 300, Math.floor(board / 3) * 300];
      for (const at of [100, 200]) {
        thin +=
          ruled(x + at, y + 26, x + at, y + 274, board * 9 + at, 0.6) +
          ruled(x + 26, y + at, x + 274, y + at, board * 5 + at, 0.6);
      }
    }
    add(thin, 2.9, 'thin');
    [300, 600].forEach((at, nth) => {
      add(ruled(at, 0, at, height, nth + 3, 2), 8);
      add(ruled(0, at, width, at, nth + 13, 2), 8);
    });
    return grid;
  }
  const by = bold > 1 ? 0.4 : (columns / 3) * 0.8;
  const weight = falls ? 3.2 : columns > 3 ? 4.2 : 3.4;
  const lines = [];
  for (let x = 1; x < columns; x += 1) lines.push(ruled(x * 100, 0, x * 100, height, x + columns, by));
  for (let y = 1; y < rows; y += 1) lines.push(ruled(0, y * 100, width, y * 100, y + 20 + columns, by));
  if (columns > 3) add(lines.join(''), weight, falls ? 'thin' : undefined);
  else for (const line of lines) add(line, weight);
  if (falls) {
    add(
      `M4 2C2 200 5 420 4 ${height - 3}C240 ${height - 1} 480 ${height - 6} ${width - 4} ${height - 3}C${width - 2} 400 ${width - 6} 190 ${width - 4} 2`,
      8.7,
    );
  }
  return grid;
}

/** One unbroken scribble from the first to the last cell of a line. @param {number[]} line */
export function drawHatch(line, columns = 3, step = 7.5, cell = 100) {
  const [from, to] = [line[0], line[line.length - 1]].map((at) => [
    (at % columns) * cell + cell / 2,
    Math.floor(at / columns) * cell + cell / 2,
  ]);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const [length, wide] = [Math.hypot(dx, dy), cell * 0.31];
  const end = wide * 0.78;
  let d = `M${(-end).toFixed(1)} ${(wide * 0.6).toFixed(1)}`;
  let up = 1;
  for (let at = -end, nth = 0; at <= length + end; at += step, nth += 1, up = -up) {
    d += `L${(at + step * 0.9 + waver(nth) * 1.5).toFixed(1)} ${(-up * wide + waver(nth + 50) * 2.5).toFixed(1)}`;
  }
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  return svg('path', {
    class: 'hatch',
    pathLength: 1,
    d,
    transform: `translate(${from.join(' ')}) rotate(${angle.toFixed(1)})`,
  });
}

/** A mark over a whole small board. @param {Mark} mark */
export function drawOwner(mark, board = 0) {
  const at = `translate(${(board % 3) * 300 + 6} ${Math.floor(board / 3) * 300 + 6}) scale(2.88)`;
  return svg('g', { class: 'big', 'data-side': mark, transform: at }, ...strokes(mark, board));
}

/** A rectangle behind a small board, or behind several. */
export const drawPatch = (name = '', side = '', board = 0) =>
  svg('rect', {
    class: name,
    'data-side': side,
    x: (board % 3) * 300 + 12,
    y: Math.floor(board / 3) * 300 + 12,
    width: 276,
    height: 276,
    rx: 14,
  });

/**
 * A small picture of any board.
 * @param {Shape} shape
 * @param {(Mark | null)[]} marks
 * @param {{ last?: number, line?: number[], winner?: Mark | null, owners?: Owner[] }} [facts]
 */
export function drawMini(shape, marks, { last = -1, line = [], winner = null, owners = [] } = {}) {
  const { rows, columns, nested } = shape;
  const picture = svg('svg', {
    class: 'mini',
    viewBox: `0 0 ${columns * 100} ${rows * 100}`,
    'data-nested': nested && '',
    'aria-hidden': 'true',
  });
  owners.forEach((owner, board) => {
    if (owner === 'X' || owner === 'O') picture.append(drawPatch('taken', owner, board));
  });
  if (line.length && winner && !nested) picture.append(svg('g', { 'data-side': winner }, drawHatch(line, columns, 15)));
  picture.append(drawGrid(shape, 1.9));
  marks.forEach((mark, cell) => {
    if (!mark) return;
    const [x, y] = [(cell % columns) * 100, Math.floor(cell / columns) * 100];
    const isOut = line.length > 0 && !line.includes(cell);
    const isUnder = Boolean(owners[boardOf(cell)]);
    picture.append(
      svg(
        'g',
        {
          class: 'm',
          'data-mark': mark,
          'data-out': isOut && '',
          'data-under': isUnder && '',
          transform: `translate(${x} ${y})`,
        },
        ...strokes(mark, handOf(cell, columns)),
      ),
    );
    if (cell === last && !line.length)
      picture.append(svg('circle', { class: 'last m', 'data-mark': mark, cx: x + 86, cy: y + 14, r: 7 }));
  });
  owners.forEach((owner, board) => {
    if (owner !== 'X' && owner !== 'O') return;
    const at = `translate(${(board % 3) * 300 + 6} ${Math.floor(board / 3) * 300 + 6}) scale(2.88)`;
    picture.append(
      svg('g', { class: 'm', 'data-mark': owner, 'data-big': '', transform: at }, ...strokes(owner, board)),
    );
  });
  return picture;
}

/** Strokes in fives; a number beyond twenty. `label` is read in their place. */
export function drawTally(count = 0, label = '') {
  if (count > 20)
    return Object.assign(document.createElement('span'), { className: 'tally-count num', textContent: String(count) });
  let [d, x] = ['', 3];
  for (let nth = 1; nth <= count; nth += 1) {
    if (nth % 5 === 0) {
      d += `M${x - 24} 17 ${x - 1} 6`;
      x += 5;
    } else {
      d += `M${(x + waver(nth) * 0.5).toFixed(1)} ${(3.5 + waver(nth + 3) * 0.5).toFixed(1)}l${(waver(nth + 9) * 0.6).toFixed(1)} 16`;
      x += 6;
    }
  }
  return svg(
    'svg',
    { class: 'tally', viewBox: `0 0 ${x} 23`, width: x, height: 23, role: 'img', 'aria-label': label },
    svg('path', { d }),
  );
}

/** A dot for every cell, the played one large. @param {Shape} shape @param {Mark} mark */
export function drawThumb({ rows, columns }, cell = 0, mark = 'X') {
  const large = Math.max(rows, columns);
  const step = large > 5 ? 2 : 1; // every other dot of a large board
  const picture = svg('svg', {
    class: 'thumb',
    viewBox: `${-2 * large} ${-2 * large} ${(columns - 1) * 10 + 4 * large} ${(rows - 1) * 10 + 4 * large}`,
    'aria-hidden': 'true',
  });
  for (let at = 0; at < rows * columns; at += 1) {
    const [x, y] = [at % columns, Math.floor(at / columns)];
    if (at !== cell && (x % step || y % step)) continue;
    const isPlayed = at === cell;
    picture.append(
      svg('circle', { cx: x * 10, cy: y * 10, r: large * (isPlayed ? 1.5 : 0.48), 'data-side': isPlayed && mark }),
    );
  }
  return picture;
}

/**
 * A stair for each level: ticks on those behind, a mark on the next.
 * @param {string[]} names
 * @param {number} climbed
 * @param {string} label
 */
export function drawStairs(names, climbed, label) {
  const wide = 440 / names.length;
  const rise = 92 / names.length;
  let d = 'M4 126';
  const picture = svg('svg', { class: 'steps', viewBox: '0 0 440 152', role: 'img', 'aria-label': label });
  names.forEach((name, nth) => {
    const [x, y] = [nth * wide, 126 - nth * rise];
    const [middle, right] = [x + wide / 2, x + wide];
    d += `C${x + wide / 3} ${y - 1} ${x + (wide * 2) / 3} ${y + 1} ${right - 2} ${y - 1}`;
    if (nth < names.length - 1)
      d += `C${right - 1} ${y - rise / 3} ${right - 3} ${y - (rise * 2) / 3} ${right - 2} ${y - rise}`;
    const stage = nth < climbed ? 'done' : nth === climbed ? 'next' : 'far';
    const word = svg('text', { class: stage, x: middle, y: y + 21 });
    word.textContent = name;
    picture.append(word);
    if (stage === 'done')
      picture.append(svg('path', { class: 'done', d: `m${middle - 8} ${y - 20} 6 6 11-14`, pathLength: 1 }));
    if (stage !== 'next') return;
    const at = `translate(${middle - 17} ${y - 42}) scale(.36)`;
    const stand = /** @type {SVGElement} */ (svg('g', { class: 'stand', transform: at }, ...strokes('X', 0)));
    stand.style.setProperty('--step', `${-wide}px ${rise}px`); // where it comes from
    picture.append(stand);
  });
  picture.prepend(svg('path', { class: 'stair', d }));
  return picture;
}
