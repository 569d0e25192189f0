// Input and output of a run.
import { ArrowDownToLine, ArrowUpFromLine } from 'lucide-react';
import { Card } from '../../../ui/layout/Card.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { ContentView } from './ContentView.tsx';
import { hasEnded, isTemplate, type Run } from '../model/run.ts';

/** Content longer than this, or of several lines, gets a frame of its own. */
const INLINE_CHARS = 160;
const MAIN_OUTPUT = 'last_output';

export function DataTab({ run }: { readonly run: Run }) {
  const input = Object.entries(run.spec.input);
  const { name } = run.metadata;
  return (
    <div className="@container">
      <div className="grid items-start gap-4 p-6 max-sm:p-4 @4xl:grid-cols-2">
        <Card title="Input" label="All input" actions={<ArrowDownToLine aria-hidden className="size-4 text-faint" />}>
          {input.length === 0 && <p className="text-muted">This run has no input.</p>}
          <Values values={input} prefix={`${name}-input`} what="Input" />
        </Card>
        {!isTemplate(run) && <Output run={run} />}
      </div>
    </div>
  );
}

function Output({ run }: { readonly run: Run }) {
  const { [MAIN_OUTPUT]: main, ...rest } = run.status.output ?? {};
  const facts = Object.entries(rest).filter(([, value]) => value !== '');
  const { name } = run.metadata;
  return (
    <Card title="Output" label="All output" actions={<ArrowUpFromLine aria-hidden className="size-4 text-faint" />}>
      {main === undefined || main === '' ? (
        <EmptyState cause="none" title={hasEnded(run) ? 'No output' : 'No output yet'} className="py-6">
          {hasEnded(run) ? 'The run ended before an agent returned output.' : 'Output appears when the run ends.'}
        </EmptyState>
      ) : (
        <ContentView label="Output" text={main} fileName={`${name}-output.txt`} />
      )}
      {facts.length > 0 && (
        <div className="mt-4 border-t border-border pt-3">
          <Values values={facts} prefix={`${name}-output`} what="Output" />
        </div>
      )}
    </Card>
  );
}

interface ValuesProps {
  readonly values: readonly (readonly [string, string])[];
  readonly prefix: string;
  readonly what: string;
}

function Values({ values, prefix, what }: ValuesProps) {
  const short = values.filter(([, value]) => isShort(value));
  const long = values.filter(([, value]) => !isShort(value));
  return (
    <div className="flex flex-col gap-4">
      {short.length > 0 && (
        <DescriptionList
          items={short.map(([term, value]) => ({
            term: <code className="font-mono">{term}</code>,
            detail: value === '' ? <span className="text-faint">empty</span> : <UntrustedText dir="auto" text={value} />,
          }))}
        />
      )}
      {long.map(([key, value]) => (
        <section key={key}>
          <h3 dir="auto" className="mb-1 font-mono text-sm [overflow-wrap:anywhere] text-muted">
            {key}
          </h3>
          <ContentView label={`${what} ${key}`} text={value} fileName={`${prefix}-${key}.txt`} />
        </section>
      ))}
    </div>
  );
}

function isShort(value: string): boolean {
  return value.length <= INLINE_CHARS && !value.includes('\n');
}
