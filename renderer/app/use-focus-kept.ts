// Keeps the focus in the page when the element that has it is removed, as a filter by its own button. Browsers give it to the document,
// where a screen reader begins again.
import { useEffect } from 'react';
import { focusFirst, placesOf } from '../ui/overlay/use-focus-return.ts';

/** Time in which an effect of the same change may move the focus itself. */
const SETTLE_MS = 100;

export function useFocusKept(): void {
  useEffect(() => {
    let focused: Element | undefined;
    let places: readonly Element[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? target : undefined;
      places = placesOf(focused ?? null).filter((place) => place.hasAttribute('tabindex'));
    };
    // The person points at something else, which may take no focus.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && focused?.contains(target))) focused = undefined;
    };
    const observer = new MutationObserver(() => {
      if (focused === undefined || focused.isConnected) return;
      focused = undefined;
      clearTimeout(timer);
      timer = setTimeout(focusFirst, SETTLE_MS, places);
    });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointerDown, true);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointerDown, true);
    };
  }, []);
}
