// Height of the bar of actions at the bottom of a page, as `--bottom-bar`: notifications stay above it.

const PROPERTY = '--bottom-bar';

/** Ref of the bar. The last mounted one counts. */
export function bottomBar(bar: HTMLElement | null): (() => void) | undefined {
  if (!bar) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty(PROPERTY, `${bar.offsetHeight}px`));
  observer.observe(bar);
  return () => {
    observer.disconnect();
    style.removeProperty(PROPERTY);
  };
}
