// Text typed over a selection, replaced by the editor. The browser would join the selected lines by itself and style what it inserts, which the
// page's policy refuses with a report for each key.
import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { main, ranges } = view.state.selection;
  const { data, inputType } = event;
  if (inputType !== 'insertText' || data === null || main.empty || ranges.length > 1 || view.composing || view.state.readOnly) return false;
  event.preventDefault();
  const insert = () =>
    view.state.update({
      changes: { from: main.from, to: main.to, insert: data },
      selection: EditorSelection.cursor(main.from + data.length),
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  // Handlers of typed text come first, as for the browser's own edits: a bracket encloses the selection.
  const taken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, main.from, main.to, data, insert));
  if (!taken) view.dispatch(insert());
  return true;
}

export const typedSelection: Extension = EditorView.domEventHandlers({ beforeinput: replaceSelection });
