// The YAML editor: completes and explains fields of the kinds, and reports problems while typing. It saves nothing itself.
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { yaml } from '@codemirror/lang-yaml';
import { useCallback, useEffect, useId, useMemo } from 'react';
import { objectAddress } from '../navigation/addresses.ts';
import { cn } from '../ui/cn.ts';
import { VisuallyHidden } from '../ui/layout/VisuallyHidden.tsx';
import { parseRef } from '@svc/shared/resource';
import { plainValues } from './codemirror/plain-values.ts';
import { applyFix, currentRange, problemMarks, showProblems } from './codemirror/problem-marks.ts';
import { useCodeView } from './codemirror/use-code-view.ts';
import { yamlCompletion } from './codemirror/yaml-completion.ts';
import { yamlSurroundings } from './codemirror/yaml-context.ts';
import { yamlHover } from './codemirror/yaml-hover.ts';
import type { TextProblem } from '../yaml/check-text.ts';
import { EditorStatus } from './EditorStatus.tsx';
import { loadDefinitions } from '../kinds/definitions.ts';
import { findNames, listNamespaces } from './live-names.ts';
import { mergeProblems } from './merge-problems.ts';
import { ProblemList } from './ProblemList.tsx';
import { useTextCheck, type TextChecking } from './use-text-check.ts';
import { parsePath } from '@svc/shared/path-text';
import { markOfPath, parseYaml } from '../yaml/yaml-paths.ts';

/** A problem that the caller reports at a place: an error of a save, or of a rule of its own. */
export interface YamlDiagnostic {
  /** `spec.edges[0].to` of the first document, or of `document`. */
  readonly path: string;
  readonly message: string;
  readonly severity?: 'error' | 'warning' | 'info';
  readonly document?: number;
}

export interface YamlEditorProps {
  readonly value: string;
  /** Where it grows with a new value, an undo keeps that change; see `Editing`. */
  readonly epoch?: number;
  readonly onChange?: (value: string) => void;
  /** The only kind the text may hold; without it each document names its own. */
  readonly kind?: string | undefined;
  /** Where names without a namespace are looked up. */
  readonly namespace: string;
  readonly readOnly?: boolean;
  /** Shown beside the editor's own findings. Keep the list stable. */
  readonly diagnostics?: readonly YamlDiagnostic[];
  /** Mod-S. */
  readonly onSave?: () => void;
  /** Its name for screen readers: "YAML of Agent default/planner". */
  readonly label: string;
  /** Scrolls to this place and selects it, whenever it changes. */
  readonly revealPath?: string | undefined;
  /** Another value scrolls to the same place again. */
  readonly revealed?: object | undefined;
  /** Called with all problems whenever they change. */
  readonly onProblems?: (problems: readonly TextProblem[]) => void;
  /** Whether a dry run on the server checks the text as well. Default: unless it is read only. */
  readonly askServer?: boolean;
  /** Leaves the problem list and the status line out, for use as a pane. */
  readonly bare?: boolean;
  readonly className?: string;
}

const language: Extension = [yaml(), plainValues, yamlHover, problemMarks];
const NONE: readonly YamlDiagnostic[] = [];

function fromCaller(text: string, diagnostics: readonly YamlDiagnostic[]): TextProblem[] {
  if (diagnostics.length === 0) return [];
  const documents = parseYaml(text);
  return diagnostics.flatMap(({ path, message, severity = 'error', document = 0 }) => {
    const at = documents[document];
    const range = at ? markOfPath(at, parsePath(path)) : { from: 0, to: 0 };
    return [{ ...range, path, message: path === '' ? message : `${path} ${message}`, severity, source: 'caller' as const }];
  });
}

function useExtensions(known: TextChecking['known'], namespace: string, kind: string | undefined): Extension {
  return useMemo(
    () => [
      language,
      yamlCompletion,
      yamlSurroundings.of({
        known,
        load: loadDefinitions,
        namespace,
        kind,
        namesOf: (of, text, signal) => findNames(of, text, { namespace, signal }),
        namespaces: listNamespaces,
        addressOf: (of, ref) => objectAddress({ kind: of, ...parseRef(ref, namespace) }),
      }),
    ],
    [known, namespace, kind],
  );
}

/** Selects a place and brings it to the middle. */
function reveal(view: EditorView, range: { readonly from: number; readonly to: number }): void {
  view.dispatch({
    selection: { anchor: range.from, head: range.to },
    effects: EditorView.scrollIntoView(range.from, { y: 'center' }),
  });
}

/** Problems found by the editor, the server and the caller, passed to `onProblems` as one list in the order of the text. */
function useProblems(props: YamlEditorProps, checking: TextChecking): readonly TextProblem[] {
  const { value, diagnostics = NONE, onProblems } = props;
  const given = useMemo(() => fromCaller(value, diagnostics), [value, diagnostics]);
  const found = checking.problems;
  const problems = useMemo(() => mergeProblems(found, given), [found, given]);
  useEffect(() => onProblems?.(problems), [onProblems, problems]);
  return problems;
}

export function YamlEditor(props: YamlEditorProps) {
  const { value, epoch, onChange, kind, namespace, readOnly = false, onSave, label, revealPath, revealed, bare = false, className } = props;
  const hint = useId();
  const checking = useTextCheck({ text: value, namespace, kind, askServer: props.askServer ?? !readOnly });
  const problems = useProblems(props, checking);
  const extensions = useExtensions(checking.known, namespace, kind);
  const { host, view } = useCodeView({ value, epoch, onChange, onSave, label, readOnly, extensions, describedBy: hint });
  useEffect(() => {
    if (view) showProblems(view, problems);
  }, [view, problems]);
  useEffect(() => {
    const document = view && revealPath !== undefined ? parseYaml(view.state.doc.toString())[0] : undefined;
    if (view && document && revealPath !== undefined) reveal(view, markOfPath(document, parsePath(revealPath)));
  }, [view, revealPath, revealed]);
  const jump = useCallback(
    (problem: TextProblem) => {
      if (!view) return;
      reveal(view, currentRange(view.state, problem));
      view.focus();
    },
    [view],
  );
  return (
    <div className={cn('flex min-h-0 min-w-0 flex-1 flex-col bg-surface', className)}>
      <VisuallyHidden>
        <span id={hint}>{readOnly ? 'Read only.' : 'Press Escape, then Tab, to leave the editor. Control Space suggests values.'}</span>
      </VisuallyHidden>
      <div
        ref={host}
        className="min-h-0 flex-1 overflow-hidden focus-within:outline-2 focus-within:-outline-offset-2 focus-within:outline-focus"
      />
      {!bare && (
        <>
          <ProblemList
            problems={problems}
            lineOf={(problem) => (view ? view.state.doc.lineAt(currentRange(view.state, problem).from).number : 1)}
            onJump={jump}
            onFix={(problem) => view && applyFix(view, problem)}
          />
          <EditorStatus problems={problems} checking={checking} readOnly={readOnly} canSave={onSave !== undefined} />
        </>
      )}
    </div>
  );
}
