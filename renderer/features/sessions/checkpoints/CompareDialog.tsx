// Two checkpoints side by side: where the conversations part, and what differs since.
import type { Aligned, Checkpoint, CheckpointDiff, ComparedMessage, ComparedToolCall, Difference } from '@svc/shared/api/sessions';
import { useQuery } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { api } from '../../../live/api.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { cutText, SAFE_POINT_TEXTS, shortHash } from '../model/checkpoints.ts';
import { refOf, type Session } from '../model/session.ts';

export interface CompareDialogProps {
  readonly session: Session;
  readonly checkpoint: Checkpoint;
  readonly against: { readonly id: string; readonly session?: string };
  readonly onClose: () => void;
}

export function CompareDialog({ session, checkpoint, against, onClose }: CompareDialogProps) {
  const request = {
    ...refOf(session),
    id: checkpoint.id,
    against: against.id,
    ...(against.session !== undefined && { session: against.session }),
  };
  const query = useQuery(api.checkpoints.diff.queryOptions(request, { retry: false }));
  return (
    <Dialog open onClose={onClose} size="xl" title="Compare checkpoints" description="From what is recorded; no model or tool is called.">
      <QueryState query={query} title="The checkpoints could not be compared" skeleton="h-48" />
      {query.data && <Diff diff={query.data} />}
    </Dialog>
  );
}

function Diff({ diff }: { readonly diff: CheckpointDiff }) {
  const { messages, tool_calls: calls, outputs, agents, usage } = diff;
  const cut = cutText(messages);
  const same =
    messages.left.length + messages.right.length + calls.left.length + calls.right.length + outputs.items.length + agents.items.length ===
    0;
  return (
    <div className="flex flex-col gap-5">
      <Columns left={<Head of={diff.left} />} right={<Head of={diff.right} />} />
      {same && <p role="status">Both hold the same conversation.</p>}
      <Part title="Conversation">
        <Shared items={messages.shared} />
        {messages.left.length + messages.right.length > 0 && (
          <Columns left={<Messages items={messages.left} side="left" />} right={<Messages items={messages.right} side="right" />} />
        )}
        {cut !== undefined && <p className="text-sm text-muted">{cut}</p>}
      </Part>
      {calls.left.length + calls.right.length > 0 && (
        <Part title="Tool calls">
          <Columns left={<Calls calls={calls} side="left" />} right={<Calls calls={calls} side="right" />} />
          {!calls.complete && (
            <p className="text-sm text-muted">Not every call is compared: their runs are no longer stored, or are too many.</p>
          )}
        </Part>
      )}
      {agents.items.length > 0 && (
        <Part title="Agents">
          {agents.items.map(({ agent, left, right }) => (
            <div key={agent} className="flex flex-col gap-1">
              <AgentName name={agent} />
              <Columns left={<Agent definition={left} />} right={<Agent definition={right} />} />
            </div>
          ))}
        </Part>
      )}
      {outputs.items.length > 0 && (
        <Part title="Last outputs">
          {outputs.items.map((output) => (
            <Output key={output.agent} output={output} />
          ))}
        </Part>
      )}
      <Part title="Tokens of the turns that differ">
        <Columns
          left={<p className="tabular-nums">{formatNumber(usage.left.total_tokens)}</p>}
          right={<p className="tabular-nums">{formatNumber(usage.right.total_tokens)}</p>}
        />
      </Part>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-medium text-muted">{title}</h3>
      {children}
    </section>
  );
}

function Columns({ left, right }: { readonly left: ReactNode; readonly right: ReactNode }) {
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
      <div className="min-w-0">{left}</div>
      <div className="min-w-0">{right}</div>
    </div>
  );
}

function Head({ of: { session, checkpoint } }: { readonly of: CheckpointDiff['left'] }) {
  return (
    <div className="rounded-md border border-border bg-sunken px-3 py-2">
      <p className="font-medium">
        <UntrustedText text={session} />
      </p>
      <p className="text-sm text-muted">
        {SAFE_POINT_TEXTS[checkpoint.safe_point]} · <code className="font-mono">{shortHash(checkpoint.state_hash)}</code>
      </p>
    </div>
  );
}

function Shared({ items }: { readonly items: readonly ComparedMessage[] }) {
  const [open, setOpen] = useState(false);
  if (items.length === 0) return <p className="text-sm text-muted">They have no message in common.</p>;
  const count = items.length === 1 ? '1 message is' : `${items.length} messages are`;
  return (
    <div className="rounded-md border border-dashed border-border px-3 py-1.5">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="w-full text-left text-sm text-muted hover:text-text"
      >
        {count} the same. {open ? 'Hide' : 'Show'}
      </button>
      {open && (
        <div className="mt-2">
          <Messages items={items} side="both" />
        </div>
      )}
    </div>
  );
}

const ROLES = { system: 'Instruction', user: 'Message', assistant: 'Answer' } as const;

function Messages({ items, side }: { readonly items: readonly ComparedMessage[]; readonly side: 'left' | 'right' | 'both' }) {
  if (items.length === 0) return <Nothing />;
  return (
    <ul aria-label={side === 'both' ? 'Shared messages' : `Messages of the ${side} side`} className="flex flex-col gap-2">
      {items.map(({ role, content, truncated }, index) => (
        <li key={index} className="rounded-md border border-border bg-surface px-3 py-2">
          <p className="text-sm text-muted">{ROLES[role]}</p>
          <UntrustedText block text={content} className="max-h-60 overflow-y-auto" />
          {truncated && <p className="text-sm text-muted">The end is cut off here.</p>}
        </li>
      ))}
    </ul>
  );
}

const Nothing = () => <p className="text-sm text-faint">Nothing more on this side</p>;

function Calls({ calls, side }: { readonly calls: Aligned<ComparedToolCall>; readonly side: 'left' | 'right' }) {
  if (calls[side].length === 0) return <Nothing />;
  return (
    <ul aria-label={`Tool calls of the ${side} side`} className="flex flex-col gap-1">
      {calls[side].map(({ tool, agent, ok, input }, index) => (
        <li key={index} className="flex items-baseline gap-2 text-sm">
          {ok ? (
            <Check aria-label="Succeeded" className="size-3.5 shrink-0 text-ok" />
          ) : (
            <X aria-label="Failed" className="size-3.5 shrink-0 text-danger" />
          )}
          <span className="shrink-0 font-mono font-medium">
            <UntrustedText text={tool} />
          </span>
          <span className="min-w-0 truncate text-muted">
            <UntrustedText text={input === undefined ? agent : `${agent}: ${JSON.stringify(input)}`} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const AgentName = ({ name }: { readonly name: string }) => (
  <p className="font-medium">
    <UntrustedText text={name} />
  </p>
);

function Agent({ definition }: { readonly definition: { readonly model: string; readonly prompt: string } | undefined }) {
  if (!definition) return <Nothing />;
  return (
    <div className="flex flex-col gap-1 rounded-md border border-border bg-surface px-3 py-2 text-sm">
      <p>
        Model <UntrustedText text={definition.model} className="font-mono" />
      </p>
      <UntrustedText block text={definition.prompt} className="max-h-40 overflow-y-auto text-muted" />
    </div>
  );
}

function Output({ output: { agent, left, right } }: { readonly output: Difference<string> }) {
  const side = (text: string | undefined) =>
    text === undefined ? (
      <Nothing />
    ) : (
      <UntrustedText block text={text} className="max-h-60 overflow-y-auto rounded-md border border-border bg-surface px-3 py-2" />
    );
  return (
    <div className="flex flex-col gap-1">
      <AgentName name={agent} />
      <Columns left={side(left)} right={side(right)} />
    </div>
  );
}
