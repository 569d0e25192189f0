// A tool call: input and result, permission, authentication, place of execution.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { Suspense } from 'react';
import { DescriptionList, type DescriptionItem } from '../../../ui/layout/DescriptionList.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { QuestionDetails } from './QuestionDetails.tsx';
import { refOf } from './refs.ts';
import { RuleLink } from './RuleLink.tsx';
import type { DetailsProps } from './SpanInspector.tsx';
import { ValueView } from '../parts/ValueView.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const InputDiff = lazyPart(async () => (await import('./InputDiff.tsx')).InputDiff);

const ENDS: ReadonlySet<string> = new Set([
  'tool_call',
  'tool_error',
  'tool_permission_denied',
  'policy_violation',
  'token_budget_exceeded',
]);

/** A property, only when it has a value. */
function item(term: string, detail: DescriptionItem['detail'] | undefined): DescriptionItem[] {
  return detail === undefined || detail === '' ? [] : [{ term, detail }];
}

export function ToolDetails({ span, trace, namespace, now }: DetailsProps) {
  const { entries } = trace.store;
  const own = span.entries.flatMap((place) => entries[place] ?? []);
  const end = own.findLast(({ type, tool }) => ENDS.has(type) && tool !== undefined);
  const pending = own.findLast(({ type }) => type === 'tool_approval_pending');
  const resolved = own.findLast(({ type }) => type === 'tool_approval_resolved');
  const input = end?.input ?? pending?.input;
  const questions = span.children.filter(({ kind }) => kind === 'approval');
  return (
    <>
      <DescriptionList items={facts(span.name, end ?? pending, { namespace, linked: !trace.imported })} />
      {questions.map((question) => (
        <QuestionDetails key={question.id} span={question} trace={trace} namespace={namespace} now={now} titled />
      ))}
      {resolved?.edited_input !== undefined && (
        <Suspense fallback={<Skeleton className="w-1/2" />}>
          <InputDiff title="Changed by the reviewer" before={pending?.input} after={resolved.edited_input} />
        </Suspense>
      )}
      <ValueView title="Request" value={input} truncated={end?.truncated} />
      {input === undefined && (
        <p className="text-sm text-muted">{end ? 'No input was recorded.' : 'The request is recorded with its result.'}</p>
      )}
      <ValueView title="Result" value={end?.output} truncated={end?.truncated} />
      {end?.isolation && <Isolation facts={end.isolation} />}
    </>
  );
}

function facts(
  tool: string,
  entry: TraceEntry | undefined,
  { namespace, linked }: { readonly namespace: string; readonly linked: boolean },
): DescriptionItem[] {
  const toolRef = refOf('Tool', tool, namespace);
  const secret = entry?.tool_auth_secret_ref;
  const message = entry?.type === 'tool_call' ? entry.message : undefined;
  const secretName = secret !== undefined && linked ? <PeekLink object={refOf('Secret', secret, namespace)}>{secret}</PeekLink> : secret;
  return [
    { term: 'Tool', detail: linked ? <PeekLink object={toolRef}>{tool}</PeekLink> : <UntrustedText text={tool} /> },
    ...item('Outcome', message && <UntrustedText text={message} />),
    ...item(
      'Request id',
      entry?.tool_request_id && (
        <span className="font-mono text-sm">
          <UntrustedText text={entry.tool_request_id} />
        </span>
      ),
    ),
    ...item('Attempts', entry?.tool_attempt === undefined ? undefined : String(entry.tool_attempt)),
    ...item('Protocol', entry?.tool_contract_version),
    ...item('Authenticated by', entry?.tool_auth_profile),
    ...item('Secret', secretName),
    ...item('Rule that decided', entry?.rule && <RuleLink rule={entry.rule} linked={linked} />),
  ];
}

function Isolation({ facts: isolation }: { readonly facts: Readonly<Record<string, unknown>> }) {
  return (
    <section aria-label="Isolation" className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Where it ran</h3>
      <table aria-label="Isolation" className="w-full border-collapse text-sm">
        <tbody>
          {rowsOf(isolation).map(([name, value]) => (
            <tr key={name} className="border-b border-border/60 last:border-0">
              <th scope="row" className="w-2/5 py-1 pr-3 text-left align-top font-normal text-muted">
                {name.replaceAll('_', ' ')}
              </th>
              <td className="py-1 font-mono [overflow-wrap:anywhere]">
                <UntrustedText text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Groups as `limits.memory`; lists on one line. */
function rowsOf(facts: Readonly<Record<string, unknown>>, above = ''): (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const path = above === '' ? name : `${above}.${name}`;
    if (Array.isArray(value)) return [[path, value.map(textOf).join(', ')] as const];
    if (typeof value === 'object' && value !== null) return rowsOf(value as Readonly<Record<string, unknown>>, path);
    return [[path, textOf(value)] as const];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
}
