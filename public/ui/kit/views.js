import { elementOf } from './element.js';

/** A keyboard on the screen covers the page in some browsers: the call takes what is left. Who zooms in changes nothing. */
globalThis.visualViewport?.addEventListener('resize', () => {
  const { height, scale } = /** @type {VisualViewport} */ (visualViewport);
  if (scale === 1) document.documentElement.style.setProperty('--seen', `${Math.floor(height)}px`);
});

const main = elementOf('main', HTMLElement);
const views = ['start', 'lobby', 'call'].map((id) => elementOf(id, HTMLElement));

/**
 * Shows one view. The others leave the document, so that nobody meets a label or an id of theirs.
 * @param {'start' | 'lobby' | 'call'} id
 */
export function showView(id) {
  for (const view of views) {
    view.hidden = view.id !== id;
    if (view.hidden) view.remove();
    else if (!view.isConnected) main.append(view);
  }
  document.body.classList.toggle('in-call', id === 'call');
}
