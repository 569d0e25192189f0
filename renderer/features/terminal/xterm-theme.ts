// Colours of a terminal, from the tokens of the page's theme.
import type { ITheme } from '@xterm/xterm';

export function readTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: token('surface'),
    foreground: token('text'),
    cursor: token('accent-text'),
    cursorAccent: token('surface'),
    selectionBackground: token('selected'),
    black: token('text'),
    brightBlack: token('faint'),
    white: token('muted'),
    brightWhite: token('text'),
    red: token('danger'),
    brightRed: token('danger'),
    green: token('ok'),
    brightGreen: token('ok'),
    yellow: token('waiting'),
    brightYellow: token('warn'),
    blue: token('info'),
    brightBlue: token('accent-text'),
    magenta: token('accent-text'),
    brightMagenta: token('accent-text'),
    cyan: token('running'),
    brightCyan: token('running'),
  };
}

/** Calls `changed` after each change of theme or contrast, until the returned function is called. */
export function followTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-contrast'] });
  return () => observer.disconnect();
}
