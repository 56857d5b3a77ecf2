/**
 * The few things every view does to the page: find its parts, change only what differs, keep lists keyed.
 *
 * Text enters by `textContent` alone. Nothing here knows what the page is about.
 */

/**
 * The part of a view with this name. A missing one is a mistake in index.html, so it is loud.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {ParentNode} root @param {string} name @param {new () => T} [type] @returns {T}
 */
export function part(root, name, type) {
  const found = root.querySelector(`[data-part="${name}"]`);
  if (!(found instanceof (type ?? HTMLElement))) throw new Error(`index.html lacks "${name}"`);
  return /** @type {T} */ (found);
}

/** A fresh copy of a template's one element. @param {string} id @returns {HTMLElement} */
export function stamp(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {HTMLElement} */ (document.importNode(template.content, true).firstElementChild);
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** null takes the attribute away. @param {Element} element @param {string} name @param {string | null} value */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {HTMLElement} element @param {boolean} isShown */
export function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/**
 * Make the children of `parent` match `items`, keeping the element of each key and moving none without need: an
 * element that stays keeps its focus.
 * @template T
 * @param {Element} parent @param {Iterable<T>} items @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} make @param {(element: HTMLElement, item: T) => void} update
 */
export function keyed(parent, items, keyOf, make, update) {
  const list = [...items];
  const keys = new Set(list.map(keyOf));
  /** @type {Map<string, HTMLElement>} */
  const old = new Map();
  for (const child of [...parent.children]) {
    const key = child instanceof HTMLElement ? child.dataset.key : undefined;
    if (key !== undefined && keys.has(key)) old.set(key, /** @type {HTMLElement} */ (child));
    else child.remove();
  }
  let place = parent.firstElementChild;
  for (const item of list) {
    const key = keyOf(item);
    const element = old.get(key) ?? make(item);
    element.dataset.key = key;
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
    update(element, item);
  }
}

/** @param {Event} event @param {string} selector */
export function closest(event, selector) {
  const found = event.target instanceof Element ? event.target.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/** Fill a select, once. @param {HTMLSelectElement} select @param {string[]} values @param {(value: string) => string} word @param {string} preferred */
export function fill(select, values, word, preferred) {
  if (select.options.length === values.length) return;
  select.replaceChildren(...values.map((value) => new Option(word(value), value, false, value === preferred)));
}
