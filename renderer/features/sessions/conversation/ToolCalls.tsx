// Tool calls of a turn, each on one line that unfolds.
import type { ToolCallPart } from '@svc/shared/sessions/conversation';
import { isObject } from '@svc/shared/json';
import { parseRef } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { Check, CircleDashed, Wrench, X } from 'lucide-react';
import { memo, useState, type ReactNode } from 'react';
import { api } from '../../../live/api.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { DisclosureItem } from '../../../ui/layout/DisclosureItem.tsx';
import { formatDuration } from '../../../ui/status/format.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { RISK_TONES, riskOf } from '../../approvals/model/risk.ts';
import type { Place } from '../model/session.ts';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export interface ToolCallsProps {
  readonly calls: readonly ToolCallPart[];
  readonly place: Place | undefined;
}

/** Longer groups are folded, except for their calls in flight. */
const OPEN_MAX = 5;

export function ToolCalls({ calls, place }: ToolCallsProps) {
  const [all, setAll] = useState(false);
  const folded = calls.length > OPEN_MAX && !all;
  const shown = folded ? calls.slice(-2) : calls;
  return (
    <ul aria-label="Tool calls" className="flex flex-col overflow-hidden rounded-md border border-border bg-surface">
      {folded && (
        <li className="border-b border-border/60 last:border-0">
          <button
            type="button"
            onClick={() => setAll(true)}
            className="w-full px-3 py-1.5 text-left text-sm text-muted hover:bg-hover hover:text-text"
          >
            {`Show ${calls.length - shown.length} earlier calls`}
          </button>
        </li>
      )}
      {shown.map((call) => (
        <ToolCall key={call.requestId} call={call} place={place} />
      ))}
    </ul>
  );
}

const PREVIEW_CHARS = 160;

function preview(value: unknown): string {
  if (value === undefined) return '';
  const text = isObject(value)
    ? Object.entries(value)
        .map(([key, each]) => `${key}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
        .join(', ')
    : JSON.stringify(value);
  return beginningOf(text.replace(/\s+/g, ' '), PREVIEW_CHARS);
}

interface ToolCallProps {
  readonly call: ToolCallPart;
  readonly place: Place | undefined;
}

const ToolCall = memo(function ToolCall({ call, place }: ToolCallProps) {
  const { tool, input, result } = call;
  const line = (
    <>
      <CallIcon result={result} inFlight={place !== undefined} />
      <span className="shrink-0 font-mono font-medium">
        <UntrustedText text={tool} />
      </span>
      {place && <ToolRisk tool={tool} namespace={place.namespace} />}
      <span className="min-w-0 flex-1 truncate text-muted">
        <UntrustedText text={preview(input)} className="[overflow-wrap:normal]" />
      </span>
      {result?.errorCode !== undefined && <Badge tone="danger">{result.errorCode}</Badge>}
      {result?.latencyMs !== undefined && <span className="shrink-0 text-faint tabular-nums">{formatDuration(result.latencyMs)}</span>}
    </>
  );
  return (
    <DisclosureItem lineClass="flex min-w-0 gap-2 px-3 text-sm" line={line}>
      {() => <CallContent call={call} inFlight={place !== undefined} />}
    </DisclosureItem>
  );
});

interface CallIconProps {
  readonly result: ToolCallPart['result'] | undefined;
  /** A call without a result may still get one. */
  readonly inFlight: boolean;
}

function CallIcon({ result, inFlight }: CallIconProps) {
  const named = (label: string, icon: ReactNode) => (
    <span className="inline-flex shrink-0 [&_svg]:size-3.5">
      {icon}
      <span className="sr-only">{label}</span>
    </span>
  );
  if (!result && !inFlight) return named('No result:', <CircleDashed aria-hidden className="text-faint" />);
  if (!result) return named('In flight:', <Spinner className="size-3.5" />);
  if (result.errorCode !== undefined) return named('Failed:', <X aria-hidden className="text-danger" />);
  return named('Done:', <Check aria-hidden className="text-ok" />);
}

/** Only a risk above the lowest is worth a badge. A tool without a namespace is in that of the Session. */
function ToolRisk({ tool, namespace }: { readonly tool: string; readonly namespace: string }) {
  const { data } = useQuery(api.resources.get.queryOptions({ kind: 'Tool', ...parseRef(tool, namespace) }, { retry: false }));
  const risk = data && riskOf(data.spec);
  return risk === undefined || risk === 'low' ? null : <Badge tone={RISK_TONES[risk]}>{`${risk} risk`}</Badge>;
}

function CallContent({ call: { tool, agent, input, result }, inFlight }: { readonly call: ToolCallPart; readonly inFlight: boolean }) {
  return (
    <div className="flex flex-col gap-2 border-t border-border/60 bg-bg px-3 py-2 text-sm">
      {agent !== undefined && (
        <p className="flex items-center gap-1.5 text-muted">
          <Wrench aria-hidden className="size-3.5" /> Called by <UntrustedText text={agent} />
        </p>
      )}
      <p className="text-muted">Arguments</p>
      {input === undefined ? (
        <p className="text-faint">Not recorded</p>
      ) : (
        <JsonTree label={`Arguments of ${tool}`} value={input} className="max-h-64" />
      )}
      <p className="text-muted">{result?.errorCode === undefined ? 'Result' : 'Error'}</p>
      {result ? (
        <>
          <CodeBlock wrap label={`Result of ${tool}`} text={result.output === '' ? '(empty)' : result.output} />
          {result.truncated && <p className="text-muted">The end is cut off here. The trace of the run has all of it.</p>}
        </>
      ) : (
        <p className="text-faint">{inFlight ? 'The call is in flight.' : 'There was none when the conversation was exported.'}</p>
      )}
    </div>
  );
}
