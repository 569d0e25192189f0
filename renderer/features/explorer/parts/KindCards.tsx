// Cards of some kinds on the pages of their objects; their code loads with the first of them.
import type { Resource } from '@svc/shared/resource';
import { Suspense, type ComponentType } from 'react';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';

interface CardsProps {
  readonly resource: Resource;
}

interface Cards {
  readonly Part: ComponentType<CardsProps>;
  /** Fields of the status, and of the spec, that the cards show. */
  readonly status?: readonly string[];
  readonly spec?: readonly string[];
}

const CARDS: Readonly<Record<string, Cards>> = {
  Agent: {
    Part: lazyPart(async () => (await import('../../simulator/parts/AgentAccess.tsx')).AgentAccess),
  },
  AgentSystem: {
    Part: lazyPart(async () => (await import('../../../graph/SystemConnections.tsx')).SystemConnections),
    spec: ['graph'],
  },
  McpServer: {
    Part: lazyPart(async () => (await import('../../mcp/parts/McpServerCards.tsx')).McpServerCards),
    status: ['discoveredTools', 'generatedTools', 'lastSyncedAt', 'protocolVersion', 'stderrTail'],
  },
};

const cardsOf = (kind: string): Cards | undefined => (Object.hasOwn(CARDS, kind) ? CARDS[kind] : undefined);

const NONE: readonly string[] = [];

/** Fields of the status that cards of triggers show: the address of a webhook. */
const ON_TRIGGER_CARDS: Readonly<Record<string, readonly string[]>> = { TaskWebhook: ['endpointId', 'endpointPath'] };

export const statusOnCards = (kind: string): readonly string[] =>
  cardsOf(kind)?.status ?? (Object.hasOwn(ON_TRIGGER_CARDS, kind) ? ON_TRIGGER_CARDS[kind] : undefined) ?? NONE;
export const specOnCards = (kind: string): readonly string[] => cardsOf(kind)?.spec ?? NONE;

export function KindCards({ resource }: CardsProps) {
  const cards = cardsOf(resource.kind);
  if (!cards) return null;
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <cards.Part key={resource.metadata.uid} resource={resource} />
    </Suspense>
  );
}
