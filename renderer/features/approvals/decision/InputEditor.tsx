// Editor for the input of a call before it is approved: a form of the tool's own schema or JSON, with the differences from the agent's
// input.
import type { FieldError } from '@svc/shared/errors';
import { RotateCcw, X } from 'lucide-react';
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { firstField } from '../../../ui/input/first-field.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { EditsList } from './EditsList.tsx';
import type { InputDraft } from './use-input-draft.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const SchemaForm = lazyPart(async () => (await import('../../../form/SchemaForm.tsx')).SchemaForm);

export interface InputEditorProps {
  readonly draft: InputDraft;
  readonly toolName: string;
  /** The tool's input_schema as the run has it. */
  readonly schema: unknown;
  /** Paths that the server has refused, `input.ids[0]`. */
  readonly refused: readonly FieldError[];
  readonly onClose: () => void;
}

/**
 * Once the form is loaded, it begins at the top: with its placeholder there was less to scroll. Its first field takes the focus, so that
 * letters are text and decide nothing.
 */
function IntoSight({ of }: { readonly of: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const frame = of.current;
    // Newer browsers answer with a promise, which is not a clean-up.
    void frame?.scrollIntoView?.({ block: 'start' });
    if (document.activeElement === frame) firstField(frame)?.focus({ preventScroll: true });
  }, [of]);
  return null;
}

export function InputEditor({ draft, toolName, schema, refused, onClose }: InputEditorProps) {
  const { value, setValue, edits, setErrors, original } = draft;
  const [version, setVersion] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  // Before effects of the form.
  useLayoutEffect(() => frame.current?.focus({ preventScroll: true }), []);
  const errors = useMemo(() => refused.map(({ path, message }) => ({ path: path.replace(/^input\.?/, ''), message })), [refused]);
  const reset = () => {
    draft.reset();
    setVersion(version + 1);
  };
  const count = edits.length === 1 ? '1 field edited' : `${edits.length} fields edited`;
  return (
    <div ref={frame} tabIndex={-1} data-sent-with-approval className="scroll-mt-4 rounded-lg focus-visible:outline-none">
      <Card
        title={
          <span className="inline-flex items-center gap-2">Edit the input {edits.length > 0 && <Badge tone="accent">{count}</Badge>}</span>
        }
        description="The edited input runs instead of the agent’s, and the agent receives a note of the change."
        actions={
          <>
            <Button size="sm" icon={<RotateCcw />} onClick={reset} disabled={edits.length === 0 && draft.problem === undefined}>
              Reset
            </Button>
            <Button
              size="sm"
              icon={<X />}
              onClick={() => {
                draft.reset();
                onClose();
              }}
            >
              Stop editing
            </Button>
          </>
        }
      >
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <IntoSight of={frame} />
          <SchemaForm
            key={version}
            schema={schema}
            value={value}
            original={original}
            onChange={setValue}
            onErrors={setErrors}
            errors={errors}
            label={`Input of ${toolName}`}
          />
        </Suspense>
        {edits.length > 0 && (
          <div className="mt-4">
            <h3 className="mb-1.5 text-sm font-medium text-text">What you changed</h3>
            <EditsList edits={edits} />
          </div>
        )}
      </Card>
    </div>
  );
}
