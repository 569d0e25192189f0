// A system of this server that is open to A2A. Unfolds to its card as served and to a curl.
import { filledText } from '@svc/shared/json';
import { ChevronRight, Send } from 'lucide-react';
import { Suspense, useState } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { curlCommand, rpcPath } from '../model/message.ts';
import { needsToken, type LocalAgent } from '../model/registry.ts';
import { CardFacts } from './CardFacts.tsx';
import { ServedCard } from './ServedCard.tsx';
import { SignatureBadge } from './SignatureBadge.tsx';

const SendDialog = lazyPart(async () => (await import('./SendDialog.tsx')).SendDialog);

export interface LocalAgentRowProps {
  readonly agent: LocalAgent;
  readonly scope: string;
}

export function LocalAgentRow({ agent, scope }: LocalAgentRowProps) {
  const { namespace, system, card } = agent;
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  const [sending, setSending] = useState(false);
  const url = filledText(card.url) ?? `${serverAddress()}${rpcPath(agent)}`;
  const token = needsToken(card);
  return (
    <li className="border-b border-border/60 px-4 last:border-b-0">
      <div className="grid grid-cols-[minmax(0,1fr)_8rem_8rem_auto] items-center gap-x-3 py-1.5 max-sm:grid-cols-[minmax(0,1fr)_auto]">
        <button
          type="button"
          aria-expanded={open}
          aria-label={`Details of ${system}`}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 items-center gap-2 rounded-sm text-left"
        >
          <ChevronRight aria-hidden className={cn('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
          <span className="shrink-0 font-medium">{system}</span>
          <span className="min-w-0 truncate font-mono text-sm text-muted max-md:hidden">{url}</span>
        </button>
        <span className="max-sm:hidden">
          <Badge tone={token ? 'neutral' : 'warn'}>{token ? 'Token required' : 'No token'}</Badge>
        </span>
        <span className="max-sm:hidden">
          <SignatureBadge card={card} />
        </span>
        <Button size="sm" icon={<Send />} disabledReason={reason} onClick={() => setSending(true)} aria-label={`Try ${system}`}>
          Try
        </Button>
      </div>
      {open && (
        <div className="flex flex-col gap-4 pb-4 pl-5.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <PeekLink object={{ kind: 'AgentSystem', namespace, name: system }} scope={scope} className="underline">
              Agent system {system}
            </PeekLink>
            <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{url}</code>
            <CopyButton text={url} label="Copy the address" />
          </div>
          <CardFacts card={card} />
          <CodeBlock label={`curl for ${system}`} text={curlCommand({ url, text: 'Hello', messageId: 'message-1', token })} wrap />
          <ServedCard agent={agent} />
        </div>
      )}
      {sending && (
        <Suspense>
          <SendDialog agent={agent} url={url} token={token} onClose={() => setSending(false)} />
        </Suspense>
      )}
    </li>
  );
}
