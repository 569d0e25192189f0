// Tab of its own on the pages of some kinds, in front of the others; its code loads when it is shown.
import type { Resource } from '@svc/shared/resource';
import { Suspense, type ComponentType } from 'react';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { useObject } from '../model/use-object.ts';

interface OwnTab {
  readonly label: string;
  readonly Part: ComponentType<{ readonly resource: Resource }>;
}

const TABS: Readonly<Record<string, OwnTab>> = {
  Experiment: { label: 'Results', Part: lazyPart(async () => (await import('../../experiments/parts/ResultsTab.tsx')).ResultsTab) },
  Memory: { label: 'Entries', Part: lazyPart(async () => (await import('../../memory/parts/EntriesTab.tsx')).EntriesTab) },
};

export const ownTabOf = (kind: string): OwnTab | undefined => (Object.hasOwn(TABS, kind) ? TABS[kind] : undefined);

export function KindTab({ object }: { readonly object: ObjectRef }) {
  const found = useObject(object);
  const own = ownTabOf(object.kind);
  if (!own || found.state !== 'there') return null;
  return (
    <Suspense fallback={<Skeleton className="m-6 h-40" />}>
      <own.Part key={found.resource.metadata.uid} resource={found.resource} />
    </Suspense>
  );
}
