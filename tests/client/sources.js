// The page's own files, as text, for tests that look at how they are written.

import { readFileSync, readdirSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** @param {string} path from the repository's root */
export const textOf = (path) => readFileSync(new URL(path, root), 'utf8');

/** The files of a folder with this ending. @param {string} folder @param {string} ending */
export const filesIn = (folder, ending) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}${name}`);

/**
 * The string literals of a module, without its comments. In a template each expression is a `…`; strings inside of it
 * are literals of their own. Knows no quotes in regular expressions: the page has none.
 * @param {string} text
 */
export function literalsOf(text) {
  /** @type {string[]} */
  const found = [];

  /** Read code from here to the closing brace. @param {number} at */
  function code(at) {
    for (let depth = 0; at < text.length; at += 1) {
      const rest = text.slice(at, at + 2);
      if (rest === '//') at = text.indexOf('\n', at);
      else if (rest === '/*') at = text.indexOf('*/', at) + 1;
      else if (text[at] === "'" || text[at] === '"' || text[at] === '`') at = literal(at);
      else if (text[at] === '{') depth += 1;
      else if (text[at] === '}' && depth-- === 0) return at;
      if (at < 0) break;
    }
    return text.length;
  }

  /** @param {number} start of the opening quote */
  function literal(start) {
    let value = '';
    let at = start + 1;
    for (; text[at] !== text[start]; at += 1) {
      if (text[at] === '\\') value += text[(at += 1)];
      else if (text[start] === '`' && text.startsWith('${', at)) {
        at = code(at + 2);
        value += '…';
      } else value += text[at];
    }
    found.push(value);
    return at;
  }

  code(0);
  return found;
}

/** What a reader of the page sees or hears of its HTML. @param {string} html */
export function visibleIn(html) {
  const markup = html.replace(/<!--[\s\S]*?-->/g, '');
  const spoken = markup.matchAll(/\s(?:aria-label|alt|placeholder|title|content)="([^"]*)"/g);
  const shown = markup.replace(/<(script|style)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, '\n');
  return [...[...spoken].map(([, text]) => text), ...shown.split('\n').map((line) => line.trim())].filter(Boolean);
}
