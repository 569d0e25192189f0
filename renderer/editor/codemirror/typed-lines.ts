// Text typed over several lines, or of several lines, inserted by the editor. Chromium joins the lines by itself and keeps the look of the first one in a style
// attribute, which the page's policy refuses with a report for each key.
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Undefined for a place that stands for lines which are not drawn. */
function positionOf(view: EditorView, node: Node | null, offset: number): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  if (node === null || (node !== view.contentDOM && !element?.closest('.cm-line'))) return undefined;
  return view.posAtDOM(node, offset);
}

/** The text that the browser is about to replace. Its own selection counts: the editor may not have a selection that was made just before. */
function replacedBy(view: EditorView): { readonly from: number; readonly to: number } | undefined {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = view.contentDOM.ownerDocument.getSelection() ?? {};
  const anchor = positionOf(view, anchorNode ?? null, anchorOffset ?? 0);
  const focus = positionOf(view, focusNode ?? null, focusOffset ?? 0);
  if (anchor !== undefined && focus !== undefined) return { from: Math.min(anchor, focus), to: Math.max(anchor, focus) };
  const { main } = view.state.selection;
  // Only one end is drawn: the editor knows the other, if it knows this one.
  const known = anchor ?? focus ?? -1;
  return known === main.anchor || known === main.head ? main : undefined;
}

function replaceLines(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const { doc, readOnly, selection } = view.state;
  if (inputType !== 'insertText' || data === null || view.composing || readOnly || selection.ranges.length > 1) return false;
  const range = replacedBy(view);
  if (!range) return false;
  const { from, to } = range;
  if (doc.lineAt(from).number === doc.lineAt(to).number && !data.includes('\n')) return false;
  event.preventDefault();
  const text = view.state.toText(data);
  const insert = () =>
    view.state.update({
      changes: { from, to, insert: text },
      selection: { anchor: from + text.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  // Handlers of typed text come first, as for the browser's own edits: a bracket encloses the selection.
  const taken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
  if (!taken) view.dispatch(insert());
  return true;
}

export const typedLines: Extension = EditorView.domEventHandlers({ beforeinput: replaceLines });
