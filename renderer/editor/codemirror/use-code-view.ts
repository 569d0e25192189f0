// A CodeMirror view inside React: created once, updated with new text and settings without losing cursor, history or scroll.
import { Annotation, Compartment, EditorState, Transaction, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { showing, writing } from './base-extensions.ts';

/** Marks changes made by the caller, which are not reported back to it. */
const FromOutside = Annotation.define<boolean>();

export interface CodeViewOptions {
  readonly value: string;
  /** Where it grows with a new value, the change is external, and an undo keeps it. */
  readonly epoch?: number | undefined;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly onSave?: (() => void) | undefined;
  /** Ids of the elements that describe it. */
  readonly describedBy?: string | undefined;
  readonly label: string;
  readonly readOnly: boolean;
  /** A new value here reconfigures the view: keep it stable. */
  readonly extensions: Extension;
}

export interface CodeView {
  readonly host: RefObject<HTMLDivElement | null>;
  /** Undefined until the view is made. */
  readonly view: EditorView | undefined;
}

/** The one replacement that turns `before` into `after`. */
function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

function stateExtensions({ readOnly, label, describedBy, extensions }: CodeViewOptions): Extension {
  const attributes = {
    'aria-label': label,
    'aria-multiline': 'true',
    tabindex: '0',
    ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
  };
  return [
    readOnly ? [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-readonly': 'true' })] : writing,
    extensions,
    EditorView.contentAttributes.of(attributes),
  ];
}

export function useCodeView(options: CodeViewOptions): CodeView {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  const emitted = useRef(options.value);
  const taken = useRef(options.epoch);
  const [settings] = useState(() => new Compartment());
  const [view, setView] = useState<EditorView>();
  const { value, epoch, readOnly, label, describedBy, extensions } = options;
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    if (!host.current) return;
    const onSave = () => (latest.current.onSave?.(), true);
    const save = keymap.of(['Mod-s', 'Mod-Enter'].map((key) => ({ key, preventDefault: true, run: onSave })));
    const changes = EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.every((each) => each.annotation(FromOutside))) return;
      emitted.current = update.state.doc.toString();
      latest.current.onChange?.(emitted.current);
    });
    const made = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [save, settings.of(stateExtensions(latest.current)), showing, changes],
    });
    emitted.current = latest.current.value;
    setView(made);
    let alive = true;
    // Lines are as high as the font makes them: one that arrives after the view is measured leaves line numbers beside the wrong lines.
    void document.fonts.ready.then(() => alive && made.dispatch({ effects: settings.reconfigure(stateExtensions(latest.current)) }));
    return () => {
      alive = false;
      made.destroy();
      setView(undefined);
    };
  }, [settings]);
  useEffect(() => {
    view?.dispatch({ effects: settings.reconfigure(stateExtensions({ value: '', readOnly, label, describedBy, extensions })) });
  }, [view, settings, readOnly, label, describedBy, extensions]);
  useEffect(() => {
    const ofOthers = epoch !== taken.current;
    taken.current = epoch;
    if (!view || value === emitted.current) return;
    const changes = smallestChange(view.state.doc.toString(), value);
    emitted.current = value;
    if (changes) view.dispatch({ changes, annotations: [FromOutside.of(true), Transaction.addToHistory.of(!ofOthers)] });
  }, [view, value, epoch]);
  return { host, view };
}
