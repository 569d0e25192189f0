// The first cards of a run's page: its input beside its output, its failure, or the reason why it has none yet.
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { Suspense, useMemo, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { cn } from '../../../ui/cn.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { ServerText } from '../../../ui/text/ServerText.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { EndNotes } from '../../trace/parts/EndNotes.tsx';
import { mainReason } from '../model/explain-sentence.ts';
import { hasEnded, hasFailed, phaseOf, TASK, type Run } from '../model/run.ts';
import { useExplanation } from '../model/use-run.ts';
import { FailureCard } from './FailureCard.tsx';
import { contentForm, parsedJson } from './message-threads.ts';
import { WaitingCard } from '../parts/WaitingCard.tsx';
import type { LoadedRunProps } from './RunPage.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

/** Longer texts are shown in their tab. */
const SHOWN_CHARS = 20_000;
const FRAME = 'max-h-36 overflow-auto px-4 py-2.5 -outline-offset-2';

export function RunResult({ run, scope, deleted, trace }: LoadedRunProps) {
  return (
    <div className="@container shrink-0">
      <div className="grid items-stretch gap-3 px-6 pt-3 max-sm:px-4 @3xl:grid-cols-[2fr_3fr]">
        <InputCard run={run} scope={scope} />
        <EndCard run={run} scope={scope} deleted={deleted} trace={trace} />
      </div>
    </div>
  );
}

function EndCard({ run, scope, deleted, trace }: LoadedRunProps) {
  if (hasFailed(run)) return <FailureCard run={run} scope={scope} trace={trace} />;
  if (phaseOf(run) === 'WaitingApproval' && !deleted) return <WaitingCard run={run} scope={scope} />;
  if (!hasEnded(run)) return <ProgressCard run={run} scope={scope} ready={trace.state.phase !== 'loading'} />;
  return <OutputCard run={run} scope={scope} trace={trace} />;
}

interface CardProps {
  readonly run: Run;
  readonly scope: string;
}

function tabAddress({ run, scope }: CardProps, tab: string): string {
  return objectAddress({ kind: TASK, ...run.metadata }, scope, { tab });
}

interface TextCardProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function TextCard({ title, actions, children }: TextCardProps) {
  return (
    <Card title={title} label={`${title} of the run`} actions={actions} flush>
      <div tabIndex={0} role="group" aria-label={title} className={FRAME}>
        {children}
      </div>
    </Card>
  );
}

function InputCard(props: CardProps) {
  const input = Object.entries(props.run.spec.input);
  return (
    <TextCard title="Input" actions={input.length > 0 && <All href={tabAddress(props, 'io')} />}>
      {input.length === 0 && <p className="text-muted">This run has no input.</p>}
      <dl className="flex flex-col gap-1.5">
        {input.map(([key, value]) => (
          <div key={key}>
            <dt dir="auto" className="font-mono text-sm [overflow-wrap:anywhere] text-muted">
              {key}
            </dt>
            <dd dir="auto" className="[overflow-wrap:anywhere]">
              <UntrustedText block text={beginningOf(value, SHOWN_CHARS)} />
            </dd>
          </div>
        ))}
      </dl>
    </TextCard>
  );
}

function All({ href }: { readonly href: string }) {
  return (
    <Link href={href} className="text-sm">
      Show all
    </Link>
  );
}

function OutputCard({ trace, ...props }: CardProps & { readonly trace: RunTrace }) {
  const text = runOutput(props.run.status.output).answer ?? '';
  return (
    <TextCard
      title="Output"
      actions={
        text !== '' && (
          <>
            <CopyButton label="Copy the output" text={text} />
            <All href={tabAddress(props, 'io')} />
          </>
        )
      }
    >
      <EndNotes trace={trace} />
      {text === '' ? <p className="text-muted">The run ended without output.</p> : <Output text={text} />}
    </TextCard>
  );
}

function Output({ text }: { readonly text: string }) {
  const form = useMemo(() => (text.length > SHOWN_CHARS ? 'text' : contentForm(text)), [text]);
  const value = useMemo(() => (form === 'json' ? parsedJson(text) : undefined), [form, text]);
  if (value !== undefined) return <JsonTree value={value} label="Output" />;
  const plain = <UntrustedText block text={beginningOf(text, SHOWN_CHARS)} />;
  return (
    <div dir="auto" className={cn('[overflow-wrap:anywhere]', form === 'text' && 'whitespace-pre-wrap')}>
      {form === 'markdown' ? (
        <Suspense fallback={plain}>
          <Markdown text={text} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  );
}

/** The reason why an open run has no output yet, from the server's explanation. */
function ProgressCard({ run, scope, ready }: CardProps & { readonly ready: boolean }) {
  const { data } = useExplanation(run, ready);
  const reason = mainReason(data?.reasons ?? []);
  // The card of the breakpoint, above, says all of it.
  const message = reason?.code === 'breakpoint' ? undefined : reason?.message;
  return (
    <TextCard title="Output" actions={<All href={tabAddress({ run, scope }, 'explain')} />}>
      <p aria-live="off" className="text-md text-pretty">
        {message === undefined ? (
          <span className="text-muted">Output appears when the run ends.</span>
        ) : (
          <ServerText text={`${capitalized(message)}.`} />
        )}
      </p>
    </TextCard>
  );
}
