// A remote agent that a Tool names: state of its card, its signature, and the card as it was read.
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { cardState, type RemoteAgent } from '../model/registry.ts';
import { CardFacts } from './CardFacts.tsx';
import { SignatureBadge } from './SignatureBadge.tsx';

export interface RemoteAgentRowProps {
  readonly agent: RemoteAgent;
  readonly scope: string;
}

export function RemoteAgentRow({ agent, scope }: RemoteAgentRowProps) {
  const { name, url, card, lastRefreshed, protocolVersion } = agent;
  const [open, setOpen] = useState(false);
  const { label, tone } = cardState(agent);
  return (
    <li className="border-b border-border/60 px-4 last:border-b-0">
      <button
        type="button"
        aria-expanded={open}
        aria-label={`Details of ${name}`}
        onClick={() => setOpen(!open)}
        className="grid w-full grid-cols-[minmax(0,1fr)_8rem_7rem_5rem] items-center gap-x-3 rounded-sm py-1.5 text-left max-sm:grid-cols-[minmax(0,1fr)_auto]"
      >
        <span className="flex min-w-0 items-center gap-2">
          <ChevronRight aria-hidden className={cn('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
          <span className="shrink-0 font-medium">{name}</span>
          <UntrustedText mono text={url} className="min-w-0 truncate text-muted max-md:hidden" />
        </span>
        <span className="max-sm:hidden">{card && <SignatureBadge card={card} />}</span>
        <span>
          <Badge tone={tone}>{label}</Badge>
        </span>
        <span className="text-right text-sm text-muted max-sm:hidden">
          <Time at={lastRefreshed} sentence />
        </span>
      </button>
      {open && <Details agent={agent} scope={scope} version={protocolVersion} />}
    </li>
  );
}

function Details({ agent, scope, version }: RemoteAgentRowProps & { readonly version: string | undefined }) {
  const { namespace, name, url, error, card } = agent;
  return (
    <div className="flex flex-col gap-4 pb-4 pl-5.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <PeekLink object={{ kind: 'Tool', namespace, name }} scope={scope} className="underline">
          Tool {name}
        </PeekLink>
        <UntrustedText mono text={url} />
        {version !== undefined && <span className="text-muted">protocol {version}</span>}
      </div>
      {error !== undefined && <UntrustedText block text={error} className="text-danger" />}
      {card === undefined ? (
        error === undefined && <p className="text-muted">The card is read at the first call.</p>
      ) : (
        <>
          <CardFacts card={card} />
          <JsonTree label={`Card of ${name}`} value={card} className="max-h-96" />
        </>
      )}
    </div>
  );
}
