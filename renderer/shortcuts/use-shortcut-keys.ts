// Listens to the keyboard for all shortcuts. Mounted once, in the shell.
import { useEffect } from 'react';
import { SHORTCUT_KEYS } from '../preferences/preferences.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { focusFirst, placesOf } from '../ui/overlay/use-focus-return.ts';
import { chordOf, isTyping, matchKeys } from './key-match.ts';
import { keysOf, shortcuts } from './registry.ts';

/** Time within which a sequence waits for its next key. */
const SEQUENCE_MS = 1200;

/** While a dialog is open, the page behind it receives no keys. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]') !== null;
}

/** Escape leads from a field to the part of the page around it, so that the keys of its lists work again. Dialogs close instead, and editors have keys of their own. */
function leaveField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.matches('input:not([type="checkbox"]), textarea')) return false;
  if (target.closest('[role="dialog"], [role="alertdialog"]')) return false;
  target.blur();
  focusFirst(placesOf(target).filter((place) => place !== target && place.hasAttribute('tabindex')));
  return true;
}

export function useShortcutKeys(): void {
  const [own] = usePreference(SHORTCUT_KEYS);
  useEffect(() => {
    let pending = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
      const chord = chordOf(event);
      if (chord === 'escape' && leaveField(event.target)) return;
      if (isTyping(event.target, chord) || (isCovered() && !chord.startsWith('mod+'))) return;
      const active = shortcuts.get().flatMap((shortcut) => {
        const keys = keysOf(shortcut, own);
        return keys === undefined || shortcut.applies?.() === false ? [] : [{ keys, shortcut }];
      });
      const match = matchKeys(active, pending, chord);
      pending = match.pending;
      clearTimeout(timer);
      timer = setTimeout(() => (pending = ''), SEQUENCE_MS);
      if (!match.hit && pending === '') return;
      event.preventDefault();
      // A held key repeats moves, but triggers an action once.
      if (match.hit && (!event.repeat || match.hit.shortcut.quiet)) match.hit.shortcut.run();
    };
    // The last keys of a sequence are not those of a focused row: `g m` is no `m`.
    const onCapture = (event: KeyboardEvent) => {
      if (pending === '') return;
      onKeyDown(event);
      if (event.defaultPrevented) event.stopPropagation();
    };
    document.addEventListener('keydown', onCapture, true);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onCapture, true);
      document.removeEventListener('keydown', onKeyDown);
      clearTimeout(timer);
    };
  }, [own]);
}
