// Focus on an element that is rendered some frames after the change that shows it.

/** Frames in which it is rendered, with a view that moves to it first. */
const FRAMES_MAX = 30;

/** Focuses the found element once it is rendered, unless the person presses another key or points at something before. */
export function focusRendered(find: () => HTMLElement | null | undefined, options?: FocusOptions): void {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const type of ['keydown', 'pointerdown']) document.addEventListener(type, end, { capture: true, signal: ended.signal });
  let left = FRAMES_MAX;
  const attempt = () => {
    if (ended.signal.aborted) return;
    const element = find();
    left -= 1;
    if (!element && left > 0) return void requestAnimationFrame(attempt);
    end();
    element?.focus(options);
  };
  requestAnimationFrame(attempt);
}
