// A change to try: YAML that is judged as if it were stored, without storing it.
import { describeKey } from '@svc/shared/resource';
import { FlaskConical, PencilLine, Trash2 } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { verdictKinds } from '../../kinds/kind-table.ts';
import { pageAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { client } from '../../live/api.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Combobox, type ComboboxOption } from '../../ui/input/Combobox.tsx';
import { useNavigation } from '../../ui/link/navigation.ts';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { handOver } from '../explorer/model/sources.ts';
import { parseRefText } from './what-if.ts';
import type { WhatIf } from './use-what-if.ts';
import { lazyPart } from '../../ui/lazy-part.ts';

const WhatIfEditor = lazyPart(async () => (await import('./WhatIfEditor.tsx')).WhatIfEditor);

const OFFERED_PER_KIND = 20;

function offerStored(namespace: string) {
  return async (query: string, signal: AbortSignal): Promise<readonly ComboboxOption[]> => {
    const wanted = query.trim().toLowerCase();
    const lists = await Promise.all(
      verdictKinds.map((kind) => client.resources.list.query({ kind, namespace, order: 'name', limit: 500 }, { signal })),
    );
    return lists.flatMap(({ items }, at) =>
      items
        .map(({ metadata }) => ({
          value: describeKey({ kind: verdictKinds[at] ?? '', namespace: metadata.namespace, name: metadata.name }),
        }))
        .filter(({ value }) => value.toLowerCase().includes(wanted))
        .slice(0, OFFERED_PER_KIND),
    );
  };
}

export function WhatIfCard({ whatIf, namespace }: { readonly whatIf: WhatIf; readonly namespace: string }) {
  const { text, add } = whatIf;
  const offers = useMemo(() => offerStored(namespace), [namespace]);
  const begin = (value: string) => {
    const ref = parseRefText(value);
    if (ref) void add(ref).catch((error: unknown) => toastError(`${value} could not be read`, error));
  };
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <FlaskConical aria-hidden className="size-4 text-accent-text" />
          What if
          {whatIf.documents && <Badge tone="accent">Not stored</Badge>}
        </span>
      }
      description="Policies, roles, permissions, agents, tools and systems as YAML, evaluated as if they were stored. Nothing is written."
      footer={text === '' ? undefined : <Footer whatIf={whatIf} namespace={namespace} />}
      className="overflow-visible"
      flush
    >
      <div className="border-b border-border p-3">
        <Combobox
          aria-label="Start from a stored object"
          placeholder="Start from a stored object, or write YAML below"
          value=""
          options={offers}
          onChange={begin}
        />
      </div>
      <Suspense fallback={<Skeleton className="m-4 h-40" />}>
        <WhatIfEditor whatIf={whatIf} namespace={namespace} />
      </Suspense>
    </Card>
  );
}

interface FooterProps {
  readonly whatIf: WhatIf;
  readonly namespace: string;
}

/** Tried documents take the way of every import: compared once more with the stored objects, then applied as a whole. */
function Footer({ whatIf: { text, setText, documents, problem }, namespace }: FooterProps) {
  const { reason } = useCanWrite();
  const { go } = useNavigation();
  const review = () => {
    handOver({ sources: [{ name: 'Change tried in the simulator', text }], refused: [] });
    go(pageAddress(namespace, 'import'));
  };
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {problem && problem.code !== 'invalid' && <p className="min-w-0 flex-1 text-danger">{problem.message}</p>}
      <Button size="sm" icon={<Trash2 />} onClick={() => setText('')}>
        Discard
      </Button>
      <Button
        size="sm"
        variant="primary"
        icon={<PencilLine />}
        onClick={review}
        disabledReason={reason ?? (documents ? undefined : 'Wait until the server has checked the text')}
      >
        Review and apply…
      </Button>
    </div>
  );
}
