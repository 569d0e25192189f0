// The documents of an import: identity, effect, problems, and whether each takes part.
import { ChevronRight, Pencil } from 'lucide-react';
import { Suspense, useState } from 'react';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { isWriteOnly } from '../../../kinds/kind-table.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { cn } from '../../../ui/cn.ts';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { contentLine, type ImportDocument, type PlacedProblem, type Verdict } from './import-documents.ts';
import type { Import } from './use-import.ts';
import { VerdictBadge } from './VerdictBadge.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const DocumentEditor = lazyPart(async () => (await import('./DocumentEditor.tsx')).DocumentEditor);
const DocumentDiff = lazyPart(async () => (await import('./DocumentDiff.tsx')).DocumentDiff);

export interface ImportTableProps {
  readonly work: Import;
  readonly namespace: string;
}

const SHOWN_MAX = 300;

export function ImportTable({ work, namespace }: ImportTableProps) {
  const { documents, leftOut, include, check, faults, overtaken } = work;
  const isWrong = ({ id }: ImportDocument) => check.data?.get(id)?.state === 'invalid' || faults.has(id);
  // Documents with problems come first, because they need attention.
  const rank = (document: ImportDocument) => (isWrong(document) ? 0 : overtaken.has(document.id) ? 1 : 2);
  const wrong = work.included.filter(isWrong).map(({ id }) => id);
  const sorted = [...documents].sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN_MAX);
  const counts = (['created', 'configured', 'unchanged', 'invalid'] as const).map((state) => ({
    state,
    count: documents.filter(({ id }) => !leftOut.has(id) && check.data?.get(id)?.state === state).length,
  }));
  return (
    <>
      <div role="status" className="flex min-h-8 flex-wrap items-center gap-2 px-6 pb-2 text-sm text-muted max-sm:px-4">
        {check.isFetching && (
          <>
            <Spinner /> Trying {work.included.length === 1 ? 'one document' : `${work.included.length} documents`} on the server
          </>
        )}
        {!check.isFetching &&
          counts
            .filter(({ count }) => count > 0)
            .map(({ state, count }) => (
              <span key={state} className="flex items-center gap-1.5">
                <span className="tabular-nums">{count}</span> <VerdictBadge state={state} />
              </span>
            ))}
        {!check.isFetching && wrong.length > 1 && (
          <Button size="sm" onClick={() => include(wrong, false)}>
            Leave out the {wrong.length} with problems
          </Button>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto border-t border-border" tabIndex={0} role="region" aria-label="Documents">
        <ul aria-label="Documents">
          {sorted.map((document) => (
            <Row
              key={document.id}
              document={document}
              namespace={namespace}
              included={!leftOut.has(document.id)}
              verdict={check.data?.get(document.id)}
              faults={faults.get(document.id)}
              overtaken={overtaken.has(document.id)}
              onInclude={(on) => include([document.id], on)}
              onEdit={(text) => work.edit(document, text)}
            />
          ))}
        </ul>
        {documents.length > SHOWN_MAX && (
          <p className="px-6 py-2 text-muted">and {documents.length - SHOWN_MAX} more, which are included too</p>
        )}
      </div>
    </>
  );
}

interface RowProps {
  readonly document: ImportDocument;
  readonly namespace: string;
  readonly included: boolean;
  readonly verdict: Verdict | undefined;
  readonly faults: readonly PlacedProblem[] | undefined;
  /** Its object changed after it was reviewed. */
  readonly overtaken: boolean;
  readonly onInclude: (on: boolean) => void;
  readonly onEdit: (text: string) => void;
}

const shownName = ({ name }: ImportDocument): string => (name === '' ? 'without a name' : name);

interface NameButtonProps {
  readonly document: ImportDocument;
  readonly namespace: string;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** Opens the differences of a document. */
function NameButton({ document, namespace, open, onToggle }: NameButtonProps) {
  const { kind, body } = document;
  return (
    <button
      type="button"
      aria-expanded={open}
      disabled={!body}
      onClick={onToggle}
      className="flex min-w-0 flex-1 items-center gap-2 text-left"
    >
      <ChevronRight
        aria-hidden
        className={cn('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90', !body && 'invisible')}
      />
      <span aria-hidden className="shrink-0 text-faint [&_svg]:size-4">
        <KindIcon kind={kind} />
      </span>
      <span className="min-w-0 truncate">
        <span className="font-medium">{shownName(document)}</span> <span className="text-muted">{kind === '' ? 'no kind' : kind}</span>
      </span>
      <span className="shrink-0 text-sm text-muted">{document.namespace || namespace}</span>
    </button>
  );
}

function Row({ document, namespace, included, verdict, faults, overtaken, onInclude, onEdit }: RowProps) {
  const [open, setOpen] = useState(false);
  const [editing, setEditing] = useState(false);
  const { kind, source, body } = document;
  const problems = faults ?? (verdict?.state === 'invalid' ? verdict.problems : []);
  const shown = shownName(document);
  return (
    <li className={cn('border-b border-border/60', !included && 'opacity-70')}>
      <div className="flex min-h-row flex-wrap items-center gap-x-3 gap-y-1 px-6 py-1 max-sm:px-4">
        <Checkbox aria-label={`Include ${kind} ${shown}`} checked={included} onChange={onInclude} />
        <NameButton document={document} namespace={namespace} open={open} onToggle={() => setOpen(!open)} />
        <span className="text-sm text-muted">
          {source}, line {contentLine(document)}
        </span>
        <span className="flex min-w-32 justify-end gap-2">
          {included && overtaken && <Badge tone="warn">changed meanwhile</Badge>}
          {!included ? <Badge>left out</Badge> : <VerdictBadge state={problems.length > 0 ? 'invalid' : verdict?.state} />}
        </span>
        {included && (
          <Button
            size="sm"
            icon={<Pencil />}
            aria-expanded={editing}
            aria-label={`Edit ${kind} ${shown}`}
            title={isWriteOnly(kind) ? 'Shows the values of the Secret' : undefined}
            onClick={() => setEditing(!editing)}
          >
            Edit
          </Button>
        )}
      </div>
      {included && problems.length > 0 && <Problems problems={problems} />}
      {included && editing && (
        <div className="px-6 pb-3 max-sm:px-4">
          <Suspense fallback={<Spinner />}>
            <DocumentEditor
              document={document}
              namespace={namespace}
              problems={problems}
              onSave={(text) => {
                setEditing(false);
                onEdit(text);
              }}
              onCancel={() => setEditing(false)}
            />
          </Suspense>
        </div>
      )}
      {included && verdict && verdict.state !== 'invalid' && <Warnings verdict={verdict} />}
      {open && body && (
        <div className="px-6 pb-3 max-sm:px-4">
          <Suspense fallback={<Spinner />}>
            <DocumentDiff document={document} namespace={namespace} version={versionOf(verdict)} />
          </Suspense>
        </div>
      )}
    </li>
  );
}

function Warnings({ verdict: { warnings, crdManaged, missing } }: { readonly verdict: Exclude<Verdict, { state: 'invalid' }> }) {
  if (warnings.length === 0 && !crdManaged && missing.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 px-6 pb-2 pl-20 text-sm text-warn max-sm:pl-6">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
      {missing.length > 0 && <li>Missing reference: {missing.join(', ')}.</li>}
      {crdManaged && <li>A custom resource of a cluster manages this object and will overwrite what is applied here.</li>}
    </ul>
  );
}

function versionOf(verdict: Verdict | undefined): string {
  return verdict && verdict.state !== 'invalid' && verdict.found ? `${verdict.found.uid} ${verdict.found.resourceVersion}` : '';
}

function Problems({ problems }: { readonly problems: readonly PlacedProblem[] }) {
  return (
    <ul className="flex flex-col gap-1 px-6 pb-2 pl-20 max-sm:pl-6">
      {problems.map((problem, index) => (
        <li key={index} className="text-sm text-danger [overflow-wrap:anywhere]">
          Line {problem.line}: {problem.path !== '' && <code className="font-mono text-text">{problem.path}</code>} {problem.message}
        </li>
      ))}
    </ul>
  );
}
