// Problems of a text as marks in the editor, and their positions after later edits.
import { forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { keymap } from '@codemirror/view';
import type { TextProblem } from '../../yaml/check-text.ts';

/** Marks past this would slow typing down; the list below says how many there are. */
const MARKS_MAX = 500;

interface Marked extends Diagnostic {
  readonly problem: TextProblem;
}

function markOf(problem: TextProblem, length: number): Marked {
  const from = Math.min(problem.from, length);
  const to = Math.max(from, Math.min(problem.to, length));
  const { fix } = problem;
  const actions = fix ? [{ name: fix.label, apply: (view: EditorView) => applyFix(view, problem) }] : [];
  return { from, to, severity: problem.severity, message: problem.message, actions, problem };
}

export function showProblems(view: EditorView, problems: readonly TextProblem[]): void {
  const { length } = view.state.doc;
  view.dispatch(
    setDiagnostics(
      view.state,
      problems.slice(0, MARKS_MAX).map((problem) => markOf(problem, length)),
    ),
  );
}

/** The place of a problem now. */
export function currentRange(state: EditorState, problem: TextProblem): { readonly from: number; readonly to: number } {
  let found = { from: Math.min(problem.from, state.doc.length), to: Math.min(problem.to, state.doc.length) };
  forEachDiagnostic(state, (each, from, to) => {
    if ((each as Marked).problem === problem) found = { from, to };
  });
  return found;
}

/** Applies the fix at the problem's current position. */
export function applyFix(view: EditorView, problem: TextProblem): void {
  const { fix } = problem;
  if (!fix) return;
  const { from, to } = currentRange(view.state, problem);
  view.dispatch({
    changes: { from, to, insert: fix.change.insert },
    selection: { anchor: from + fix.change.insert.length },
    userEvent: 'input.fix',
  });
}

export const problemMarks: Extension = [
  lintGutter({ hoverTime: 200 }),
  keymap.of(lintKeymap.filter((binding) => binding.key !== 'Mod-Shift-m')),
];
