// A board that is played by pointer, arrows and Enter, or digits: a grid of real buttons over a drawing. Knows no rules:
// it draws a scene, and tells which cell was tapped.

import { drawGrid, drawHatch, drawMark, drawOwner, drawPatch, svg } from './drawing.js';
import { attr, make, on, part, redraw, stamp } from './dom.js';
import { cellIn } from './position.js';
import { boardName, cellLabel, valueWords } from './words/en.js';

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const NEW_FOR = 600; // ms; a mark is drawn in this time
const WIPED_FOR = 180; // ms

/**
 * @param {HTMLElement} root
 * @param {(cell: number) => void} tap with the cell that the tap stands for
 * @returns {(scene: Scene) => void}
 */
export function mountBoard(root, tap) {
  /** @type {HTMLButtonElement[]} */
  let cells = [];
  /** @type {Scene | null} */
  let scene = null;
  /** @type {Layers | null} */
  let layers = null;

  on(root, 'click', '[data-cell]', ({ dataset }) => {
    const target = scene?.cells[Number(dataset.cell)].target;
    hint(null);
    if (typeof target === 'number') tap(target);
  });
  on(root, 'focusin', '[data-cell]', (visited) => {
    for (const cell of cells) cell.tabIndex = cell === visited ? 0 : -1;
    if (visited.matches(':focus-visible')) hint(Number(visited.dataset.cell));
  });
  on(root, 'focusout', '[data-cell]', () => hint(null));
  on(root, 'pointerover', '[data-cell]', ({ dataset }, { pointerType }) => {
    if (pointerType === 'mouse' || scene?.variant.falls) hint(Number(dataset.cell));
  });
  root.addEventListener('pointerleave', () => hint(null));
  on(root, 'keydown', '[data-cell]', ({ dataset }, event) => {
    const columns = scene?.variant.columns ?? 0;
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    const [down, right] = STEPS[event.key];
    const row = Math.floor(Number(dataset.cell) / columns) + down;
    const column = (Number(dataset.cell) % columns) + right;
    if (column >= 0 && column < columns) cells[row * columns + column]?.focus();
  });

  /** Show where a tap would leave a mark. @param {number | null} cell */
  function hint(cell) {
    if (!layers || !scene) return;
    const { ghost, variant, cells: drawn } = scene;
    const target = !ghost ? null : cell === null ? scene.invite : drawn[cell].target;
    attr(layers.ghost, { 'data-on': target !== null });
    layers.column.replaceChildren();
    attr(layers.top, { 'data-on': target !== null && variant.falls === true });
    if (target === null || !ghost) return;
    redraw(layers.ghost, `${ghost}${target}`, () => [drawMark(ghost, target, variant.columns)]);
    const [row, column] = [Math.floor(target / variant.columns), target % variant.columns];
    layers.ghost.style.gridArea = `${row + 1} / ${column + 1}`;
    if (!variant.falls) return;
    const height = variant.rows * 100 + 54;
    layers.column.append(
      svg('rect', { class: 'column', 'data-side': ghost, x: column * 100 + 6, y: -62, width: 88, height, rx: 12 }),
    );
    redraw(layers.top, ghost, () => [drawMark(ghost, 1)]);
    layers.top.style.left = `${(100 * column) / variant.columns}%`;
  }

  return (next) => {
    const before = scene;
    scene = next;
    if (!layers || before?.variant.name !== next.variant.name) {
      layers = build(root, next.variant);
      cells = [...root.querySelectorAll('button')].sort((a, b) => Number(a.dataset.cell) - Number(b.dataset.cell));
      cells[0].tabIndex = 0;
    }
    if (before && before.key !== next.key && before.variant.name === next.variant.name) enter(root);
    drawCells(cells, next, before?.key === next.key ? before : null);
    drawAround(layers, next);
    if (next.ghost === null || (next.invite !== null && (before?.key !== next.key || before.invite !== next.invite)))
      hint(null);
    const isOpen = next.ghost !== null && next.cells.some(({ target }) => target !== null);
    attr(root, { 'data-open': String(isOpen), 'data-turn': next.side });
  };
}

/** Draw the grid again for a new game. @param {HTMLElement} root */
function enter(root) {
  root.dataset.entering = '';
  setTimeout(() => {
    delete root.dataset.entering;
  }, NEW_FOR);
}

/** @param {HTMLElement} root @param {Variant} variant @returns {Layers} */
function build(root, variant) {
  const { name, rows, columns, falls, nested } = variant;
  attr(root, { role: nested ? 'group' : 'grid', 'data-variant': name, 'data-falls': falls, 'data-nested': nested });
  attr(/** @type {Element} */ (root.parentElement), { 'data-variant': name });
  root.style.setProperty('--rows', String(rows));
  root.style.setProperty('--columns', String(columns));
  const viewBox = falls ? `0 -66.67 ${columns * 100} ${rows * 100 + 66.67}` : `0 0 ${columns * 100} ${rows * 100}`;
  const [patches, column, line, owners] = ['g', 'g', 'g', 'g'].map((tag) => svg(tag, {}));
  const under = svg('svg', { viewBox, 'aria-hidden': 'true' }, patches, column, line, drawGrid(variant));
  const over = svg('svg', { viewBox, 'aria-hidden': 'true' }, owners);
  const grid = make('div', { className: 'cells' });
  if (nested) for (let board = 0; board < 9; board += 1) grid.append(buildSmall(board));
  else grid.append(...buildRows(rows, columns, (row, at) => row * columns + at, columns));
  const [ghost, top] = [make('div', { className: 'ghost' }), make('div', { className: 'drop-top' })];
  grid.append(ghost);
  root.replaceChildren(under, grid, over, top);
  for (const small of grid.querySelectorAll('[role="grid"]')) small.setAttribute('data-small', '');
  return { patches, column, line, owners, ghost, top, smalls: [...grid.querySelectorAll('[data-small]')] };
}

/** One of nine boards. @param {number} board */
function buildSmall(board) {
  const small = make('div');
  attr(small, { role: 'grid' });
  small.append(...buildRows(3, 3, (row, column) => cellIn(board, row, column), 9));
  return small;
}

/**
 * @param {number} rows
 * @param {number} columns
 * @param {(row: number, column: number) => number} cellAt
 * @param {number} wide columns of the whole board
 */
function buildRows(rows, columns, cellAt, wide) {
  return Array.from({ length: rows }, (_, row) => {
    const line = make('div');
    attr(line, { role: 'row' });
    for (let column = 0; column < columns; column += 1) {
      const [holder, cell] = [stamp('cell'), cellAt(row, column)];
      holder.style.gridArea = `${Math.floor(cell / wide) + 1} / ${(cell % wide) + 1}`;
      holder.style.setProperty('--row', String(Math.floor(cell / wide) + 1));
      attr(holder.children[0], { 'data-cell': cell, tabindex: -1 });
      line.append(holder);
    }
    return line;
  });
}

/** @param {HTMLButtonElement[]} cells @param {Scene} scene @param {Scene | null} before the same game, a moment ago */
function drawCells(cells, scene, before) {
  cells.forEach((cell, index) => {
    const facts = scene.cells[index];
    const { mark, value } = facts;
    if ((cell.dataset.mark ?? null) !== mark) {
      for (const old of cell.querySelectorAll('.mark')) if (!wipe(old, before?.cells[index], mark)) old.remove();
      if (mark) cell.append(drawMark(mark, index, scene.variant.columns));
      if (mark && before && !facts.isAimed) glow(cell, facts.isPending ? 'mine' : 'theirs');
    }
    redraw(part(cell, 'value'), value ? JSON.stringify(value) : '', () => {
      if (!value) return [];
      const [word, more] = valueWords(value);
      return more
        ? [make('b', { textContent: word }), document.createTextNode(' '), make('small', { textContent: more })]
        : [make('b', { textContent: word })];
    });
    attr(cell, {
      'data-mark': mark,
      'data-tap': facts.target !== null,
      'data-pending': facts.isPending,
      'data-slow': facts.isSlow,
      'data-aimed': facts.isAimed,
      'data-fading': facts.isFading && !facts.isAimed,
      'data-faint': facts.isFaint && !facts.isAimed,
      'data-playable': facts.isPlayable,
      'data-last': facts.isLast,
      'data-won': facts.isWon,
      'data-out': facts.isOut,
      'data-under': facts.isUnder,
      'data-next': facts.isNext,
      'data-value': value?.value,
      'aria-label': cellLabel(index, scene.variant, facts),
      'aria-disabled': facts.target === null && 'true',
      disabled: scene.isWatched,
    });
  });
}

/** A faint mark that goes is wiped away. @param {Element} old @param {SceneCell | undefined} was @param {Mark | null} mark */
function wipe(old, was, mark) {
  if (mark || !was?.isFaint || matchMedia('(prefers-reduced-motion: reduce)').matches) return false;
  const wiping = old.animate({ opacity: 0, translate: '6% 0' }, { duration: WIPED_FOR, fill: 'forwards' });
  wiping.onfinish = () => old.remove();
  return true;
}

/** A mark is new while it is being drawn. @param {HTMLElement} cell @param {'mine' | 'theirs'} whose */
function glow(cell, whose) {
  cell.dataset.new = whose;
  setTimeout(() => {
    delete cell.dataset.new;
  }, NEW_FOR);
}

/** What lies under and over the cells. @param {Layers} layers @param {Scene} scene */
function drawAround({ patches, line, owners, smalls }, scene) {
  const { variant, open, turn, striker } = scene;
  const key = [scene.owners.join(), open.join(), turn, scene.line.join()].join(';');
  if (patches.getAttribute('data-drawn') === key) return;
  patches.setAttribute('data-drawn', key);
  const won = scene.owners.flatMap((owner, board) => (owner === 'X' || owner === 'O' ? [{ owner, board }] : []));
  patches.replaceChildren(
    ...won.map(({ owner, board }) => drawPatch('taken', owner, board)),
    ...open.map((board) => drawPatch('active', turn ?? '', board)),
  );
  owners.replaceChildren(...won.map(({ owner, board }) => drawOwner(owner, board)));
  const isStruck = scene.line.length > 0 && striker !== null;
  line.replaceChildren(
    ...(isStruck ? [variant.nested ? drawHatch(scene.line, 3, 22, 300) : drawHatch(scene.line, variant.columns)] : []),
  );
  attr(line, { 'data-side': striker, 'data-line': isStruck && scene.line.join() });
  smalls.forEach((small, board) => {
    attr(small, {
      'data-owner': scene.owners[board],
      'data-playable': open.includes(board) && turn,
      'aria-label': boardName(board, scene.owners[board], open.includes(board)),
    });
  });
}
