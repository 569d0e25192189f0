// Space that a bar of actions takes at the bottom of the window, as `--bottom-bar`: notifications stay above it.

const PROPERTY = '--bottom-bar';

/** Ref of the bar. The last mounted one counts. */
export function bottomBar(bar: HTMLElement | null): (() => void) | undefined {
  if (!bar) return undefined;
  const { style } = document.documentElement;
  const measure = () => {
    const height = window.innerHeight - bar.getBoundingClientRect().top;
    // The same bar in the middle of a page that scrolls keeps nothing free.
    style.setProperty(PROPERTY, height <= window.innerHeight / 2 ? `${Math.max(0, height)}px` : '0px');
  };
  const observer = new ResizeObserver(measure);
  observer.observe(bar);
  // A dock that opens below moves the bar and makes the part around it smaller.
  if (bar.parentElement) observer.observe(bar.parentElement);
  return () => {
    observer.disconnect();
    style.removeProperty(PROPERTY);
  };
}
