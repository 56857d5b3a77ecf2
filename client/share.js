// The link to a room. Copying also works without a clipboard API, as on plain HTTP.

/** The server knows by which address others reach it, and whether they can. */
const facts = () => document.documentElement.dataset;

export const linkTo = (path = '') => (facts().origin ?? location.origin) + path;

/** Whether only this computer can open the server. */
export const isLocal = () => facts().local !== undefined;

/** @param {Send} send @param {string} link */
export async function copyLink(send, link) {
  const isCopied =
    (await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    )) || copyBySelection(link);
  send({ type: 'told', code: isCopied ? 'copied' : 'not_copied' });
  return isCopied;
}

/** The old way: select a text and copy the selection. */
function copyBySelection(value = '') {
  const focused = document.activeElement;
  const field = document.createElement('input');
  Object.assign(field, { value, readOnly: true });
  // Invisible, but not small: from a field of a pixel an empty text is copied.
  Object.assign(field.style, { position: 'fixed', inset: '0 auto auto 0', opacity: '0' });
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Hand a link to the device's own sheet, or copy it. @param {Send} send @param {string} link */
export function shareLink(send, link) {
  if ('share' in navigator) navigator.share({ title: 'Noughts', url: link }).catch(() => {});
  else copyLink(send, link);
}
