// Two texts compared by CodeMirror's merge view, which is a chunk of its own. Reached through DiffView only.
import { yaml } from '@codemirror/lang-yaml';
import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef, type RefObject } from 'react';
import { showing } from './base-extensions.ts';
import { plainValues } from './plain-values.ts';

export interface DiffCommands {
  readonly next: () => void;
  readonly previous: () => void;
}

export interface DiffPaneProps {
  readonly before: string;
  readonly after: string;
  readonly layout: 'split' | 'unified';
  readonly label: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly commands: RefObject<DiffCommands | undefined>;
  readonly onChunks: (count: number) => void;
}

const COLLAPSE = { margin: 3, minSize: 6 };
const DIFF = { scanLimit: 2000, timeout: 1000 };

const soft = (colour: string) => `color-mix(in srgb, var(--${colour}) 22%, transparent)`;

const look = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--danger-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: soft('danger') },
  '&.cm-merge-b .cm-changedText': { background: soft('ok') },
  '.cm-changedLineGutter': { background: 'var(--ok)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--danger)' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--muted)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-sm)',
    padding: '3px 8px',
  },
  '.cm-collapsedLines:before': { content: '"⋯"' },
  '.cm-collapsedLines:after': { content: 'none' },
});

function shared({ label }: DiffPaneProps, side: string): Extension {
  const keys = [
    { key: 'F7', run: goToNextChunk },
    { key: 'Shift-F7', run: goToPreviousChunk },
    { key: 'Alt-ArrowDown', run: goToNextChunk },
    { key: 'Alt-ArrowUp', run: goToPreviousChunk },
  ];
  return [
    keymap.of(keys),
    showing,
    look,
    yaml(),
    plainValues,
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': `${label}: ${side}`, 'aria-readonly': 'true', tabindex: '0' }),
  ];
}

interface Shown {
  readonly main: EditorView;
  readonly destroy: () => void;
}

function show(parent: HTMLElement, props: DiffPaneProps): Shown {
  const { before, after, layout, beforeLabel, afterLabel } = props;
  if (layout === 'unified') {
    const merge = unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: COLLAPSE, diffConfig: DIFF });
    const view = new EditorView({ parent, doc: after, extensions: [shared(props, `${beforeLabel} and ${afterLabel}`), merge] });
    return { main: view, destroy: () => view.destroy() };
  }
  const view = new MergeView({
    parent,
    a: { doc: before, extensions: shared(props, beforeLabel) },
    b: { doc: after, extensions: shared(props, afterLabel) },
    collapseUnchanged: COLLAPSE,
    diffConfig: DIFF,
  });
  return { main: view.b, destroy: () => view.destroy() };
}

export function DiffPane(props: DiffPaneProps) {
  const host = useRef<HTMLDivElement>(null);
  const { before, after, layout, label, beforeLabel, afterLabel, commands, onChunks } = props;
  useEffect(() => {
    if (!host.current) return;
    const shown = show(host.current, { before, after, layout, label, beforeLabel, afterLabel, commands, onChunks });
    const go = (command: typeof goToNextChunk) => () => {
      command(shown.main);
      shown.main.focus();
    };
    commands.current = { next: go(goToNextChunk), previous: go(goToPreviousChunk) };
    onChunks(getChunks(shown.main.state)?.chunks.length ?? 0);
    return () => {
      commands.current = undefined;
      shown.destroy();
    };
  }, [before, after, layout, label, beforeLabel, afterLabel, commands, onChunks]);
  return (
    <div ref={host} tabIndex={0} role="group" aria-label={label} className="min-h-0 flex-1 overflow-auto [&_.cm-mergeView]:min-h-full" />
  );
}
