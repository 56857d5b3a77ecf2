// What every view needs: find parts, change only what differs, keep lists keyed.
// Text enters the page by `textContent` only.

/** Throws if the part is missing: that is a mistake in index.html. @param {ParentNode} root @param {string} name @returns {any} */
export function part(root, name) {
  const found = root.querySelector(`[data-part="${name}"]`);
  if (!found) throw new Error(`index.html lacks "${name}"`);
  return found;
}

/** @param {ParentNode} root @param {string[]} names */
export const parts = (root, ...names) => names.map((name) => part(root, name));

export function stamp(id = '') {
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {HTMLElement} */ (document.importNode(content, true).firstElementChild);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Partial<HTMLElementTagNameMap[K]>} [properties]
 */
export const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

/** The text of several parts, by their names. @param {ParentNode} root @param {Record<string, string | number>} texts */
export function write(root, texts) {
  for (const [name, text] of Object.entries(texts)) {
    const element = part(root, name);
    if (element.textContent !== String(text)) element.textContent = String(text);
  }
}

/** Null and false remove an attribute, true sets it to the empty string. @param {Element} element @param {Record<string, string | number | boolean | null | undefined>} attributes */
export function attr(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? '' : String(value);
    if (value === false || value == null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Which of these parts are shown. @param {ParentNode} root @param {Record<string, boolean>} shown */
export function show(root, shown) {
  for (const [name, isShown] of Object.entries(shown)) part(root, name).toggleAttribute('hidden', !isShown);
}

/** Replace what an element holds if `key` has changed. @param {HTMLElement} element @param {string} key @param {() => Node[]} draw */
export function redraw(element, key, draw) {
  if (element.dataset.drawn === key) return;
  element.dataset.drawn = key;
  element.replaceChildren(...draw());
}

/** Listen to all matching descendants, including later ones. @param {HTMLElement | Document} root @param {string} kind @param {string} selector @param {(found: HTMLElement, event: any) => void} run */
export function on(root, kind, selector, run) {
  root.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found instanceof HTMLElement) run(found, event);
  });
}

/** Keys without modifiers that are not typed into a field. @param {(event: KeyboardEvent) => void} run */
export function onKey(run) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, [popover], dialog');
    if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) run(event);
  });
}

/**
 * Keep one element per key, and move only those that must move: the rest keep their focus.
 * @template T
 * @param {Element} parent
 * @param {Iterable<T>} items
 * @param {(item: T) => string | number} keyOf
 * @param {(item: T) => HTMLElement} make
 * @param {(element: HTMLElement, item: T) => void} [update]
 */
export function keyed(parent, items, keyOf, make, update) {
  const list = new Map([...items].map((item) => [String(keyOf(item)), item]));
  const children = /** @type {HTMLElement[]} */ ([...parent.children]);
  const old = new Map(children.map((child) => [child.dataset.key, child]));
  for (const child of children) if (!list.has(child.dataset.key ?? '')) child.remove();
  let place = parent.firstElementChild;
  for (const [key, item] of list) {
    const element = old.get(key) ?? make(item);
    element.dataset.key = key;
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
    update?.(element, item);
  }
}
