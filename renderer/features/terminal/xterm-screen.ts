// xterm in an element: size, theme, keys that belong to the page, and pastes that need a review.
import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import { chordOf } from '../../shortcuts/key-match.ts';
import { DOCK_KEYS } from './model/dock.ts';
import { judgePaste } from './paste-guard.ts';
import { followTheme, readTheme } from './xterm-theme.ts';

const SCROLLBACK_LINES = 5000;

/** xterm writes colours into the attribute `style`, which the page's policy refuses; the same text through CSSOM is allowed. */
HTMLSpanElement.prototype.setAttribute = function setAttribute(name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else HTMLElement.prototype.setAttribute.call(this, name, value);
};

export interface ScreenOptions {
  readonly element: HTMLElement;
  readonly onInput: (text: string) => void;
  readonly onResize: (size: { cols: number; rows: number }) => void;
  readonly onReview: (text: string) => void;
}

export interface Screen {
  readonly terminal: Terminal;
  readonly dispose: () => void;
}

export function createScreen({ element, onInput, onResize, onReview }: ScreenOptions): Screen {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
    fontSize: 13,
    minimumContrastRatio: 4.5,
    scrollback: SCROLLBACK_LINES,
    theme: readTheme(),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  terminal.attachCustomKeyEventHandler((event) => chordOf(event) !== DOCK_KEYS);
  terminal.open(element);
  const fitNow = () => {
    // A hidden dock has no size to fit.
    if (element.clientHeight > 0) fit.fit();
  };
  fitNow();
  terminal.onData(onInput);
  // The event has more fields, which the server refuses.
  terminal.onResize(({ cols, rows }) => onResize({ cols, rows }));
  const sized = new ResizeObserver(fitNow);
  sized.observe(element);
  const unfollow = followTheme(() => (terminal.options.theme = readTheme()));
  const keys = (event: KeyboardEvent) => {
    if (chordOf(event) !== DOCK_KEYS) event.stopPropagation();
  };
  const paste = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const { text, needsReview } = judgePaste(event.clipboardData?.getData('text/plain') ?? '');
    if (needsReview) onReview(text);
    else terminal.paste(text);
  };
  element.addEventListener('keydown', keys);
  element.addEventListener('paste', paste, { capture: true });
  return {
    terminal,
    dispose: () => {
      unfollow();
      sized.disconnect();
      element.removeEventListener('keydown', keys);
      element.removeEventListener('paste', paste, { capture: true });
      terminal.dispose();
    },
  };
}
