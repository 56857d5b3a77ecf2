import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesIn, literalsOf, textOf, visibleIn } from './sources.js';

const MODULES = filesIn('client/', '.js');
const HTML = textOf('client/index.html');
const JARGON = /\b(seats?|walls?|gallery|galleries|exhibitions?|spectators?)\b/i;
/** Names of keys, and of the page itself. */
const NAMES = /^(Arrow(Up|Down|Left|Right)|Escape|Enter|Numpad|Noughts)$/;
/** It begins with a capitalised word, or has three words in a row. */
const SENTENCE = /^[A-Z][a-z’]+([ ,.:]|$)|[a-z]{2,} [a-z]+ [a-z]{2,}/;

test('the literals of a module are found, and its comments are not', () => {
  const text = "a('One', `two ${b('three') + `four ${c}`} \\` five`); // 'six'\n/* \"seven\" */ d(\"it's\")";
  assert.deepEqual(literalsOf(text), ['One', 'three', 'four …', 'two … ` five', "it's"]);
});

test('what counts as a sentence', () => {
  for (const text of ['Your turn', 'No games right now.', 'Review', 'Game …', 'needs a player', 'Asked …, waiting'])
    assert.match(text, SENTENCE);
  for (const text of ['M22 21C36 36 60 63 79 80', 'btn main', 'seat_ai', 'X', 'data-part', '… / …', '[data-do="back"]'])
    assert.doesNotMatch(text, SENTENCE);
});

test('every sentence of the page is in words/ or index.html, none in another module', () => {
  for (const path of MODULES) {
    const stray = literalsOf(textOf(path)).filter((text) => SENTENCE.test(text) && !NAMES.test(text));
    assert.deepEqual(stray, [], path);
  }
});

test('the page says nothing of seats, walls, galleries, exhibitions and spectators', () => {
  const words = filesIn('client/words/', '.js').flatMap((path) => literalsOf(textOf(path)));
  const shown = visibleIn(HTML);
  assert.ok(words.length > 300 && words.includes('Your turn') && shown.includes('Your move.'));
  assert.deepEqual(
    [...words, ...shown].filter((text) => JARGON.test(text)),
    [],
  );
});

test('index.html has every part, template and icon that a view asks for', () => {
  const has = (/** @type {string} */ attribute, /** @type {string} */ name) => HTML.includes(`${attribute}="${name}"`);
  for (const path of MODULES) {
    const text = textOf(path);
    const calls = [...text.matchAll(/\bparts?\(([^()]*)\)/g)].flatMap(([, inside]) => literalsOf(inside));
    const parts = calls.filter((name) => !name.includes('…'));
    for (const name of parts) assert.ok(has('data-part', name), `${path}: part ${name}`);
    for (const [, name] of text.matchAll(/\bstamp\('([^']*)'\)/g))
      assert.ok(has('id', name), `${path}: template ${name}`);
    for (const [, name] of text.matchAll(/\bicon(?:\(|: )'([^']*)'/g))
      assert.ok(has('id', `i-${name}`), `${path}: icon ${name}`);
  }
});

test('every reference inside index.html leads somewhere', () => {
  for (const [, id] of HTML.matchAll(/(?:href="#|popovertarget="|aria-labelledby=")([^"]+)"/g))
    assert.ok(HTML.includes(`id="${id}"`), id);
  const ids = [...HTML.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, 'each id once');
});

test('text enters the page by textContent only', () => {
  for (const path of MODULES)
    assert.doesNotMatch(textOf(path), /innerHTML|outerHTML|insertAdjacentHTML|document\.write/, path);
});
