// Keys that choose and confirm the text of an input method (Japanese, Chinese, Korean) are not keys of the console.

/** Editors and the terminal follow compositions themselves. */
const OWN_HANDLING = '.cm-editor, .xterm';

/**
 * Code of a key that an input method has handled. In Safari it is the only mark of the Enter that confirms a text, because the composition
 * has ended before (WebKit bug 165004).
 */
const HANDLED_KEY = 229;

function keepFromHandlers(event: KeyboardEvent): void {
  const handled = event.isComposing || event.keyCode === HANDLED_KEY;
  if (handled && !(event.target instanceof Element && event.target.closest(OWN_HANDLING))) event.stopImmediatePropagation();
}

/** Called before any other listener for keys is added. Returns the end of it. */
export function leaveKeysToInputMethods(): () => void {
  window.addEventListener('keydown', keepFromHandlers, { capture: true });
  return () => window.removeEventListener('keydown', keepFromHandlers, { capture: true });
}
