// What every view needs: find parts, change only what differs, keep lists keyed.
// Text enters the page by `textContent` only.

/** Throws if the part is missing: that is a mistake in index.html. @type {FindPart} */
export function part(root, name) {
  const found = root.querySelector(`[data-part="${name}"]`);
  if (!found) throw new Error(`index.html lacks "${name}"`);
  return /** @type {any} */ (found);
}

/** @type {FindParts} */
export const parts = (root, ...names) => /** @type {any} */ (names.map((name) => part(root, name)));

export function stamp(id = '') {
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {HTMLElement} */ (document.importNode(content, true).firstElementChild);
}

/** @type {Make} */
export const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

/** @type {Write} */
export function write(root, texts) {
  for (const [name, text] of Object.entries(texts)) {
    const element = part(root, name);
    if (element.textContent !== String(text)) element.textContent = String(text);
  }
}

/** Null and false remove an attribute, true sets it to the empty string. @type {SetAttributes} */
export function attr(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = value === true ? '' : String(value);
    if (value === false || value == null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** @type {Show} */
export function show(root, shown) {
  for (const [name, isShown] of Object.entries(shown)) part(root, name).hidden = !isShown;
}

/** @type {SetMark} */
export function setMark(element, mark) {
  if ((element.dataset.mark ?? null) === mark) return;
  element.querySelector('.mark')?.remove();
  attr(element, { 'data-mark': mark });
  if (mark) element.append(stamp(`mark-${mark}`));
}

/** Listen to all matching descendants, including later ones. @type {Listen} */
export function on(root, kind, selector, run) {
  root.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found instanceof HTMLElement) run(found, event);
  });
}

/** Keys without modifiers that are not typed into a field. @type {OnKey} */
export function onKey(run) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select');
    if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) run(event);
  });
}

/**
 * Keep one element per key, and move only those that must move: the rest keep their focus.
 * @type {Keyed}
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
