// Engines for isolated tools, and advice where there are none: as the server in this process reports it.
import { Box } from 'lucide-react';
import { pageAddress } from '../../navigation/addresses.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { useCapabilities } from '../system/model/use-capabilities.ts';

const PREFIX = 'isolation-';

export function EngineCard({ scope }: { readonly scope: string }) {
  const query = useCapabilities();
  const engines = (query.data ?? []).filter(({ id }) => id.startsWith(PREFIX));
  return (
    <Card
      title="Isolation backends (this server)"
      description="Each worker reports its own."
      actions={
        <Link href={pageAddress(scope, 'capabilities')} className="text-sm">
          Capabilities
        </Link>
      }
      flush
    >
      <QueryState query={query} title="This could not be loaded" skeleton="w-1/2" className="m-4" />
      <ul className="divide-y divide-border/60">
        {engines.map(({ id, enabled, description, source }) => (
          <li key={id} className="flex items-start gap-3 px-4 py-2.5">
            <Box aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{id.slice(PREFIX.length)}</span>
                <Badge tone={enabled ? 'ok' : 'neutral'}>{enabled ? 'On' : 'Off'}</Badge>
                {source !== 'build' && <Mono>{source}</Mono>}
              </p>
              <p className="text-pretty text-muted">
                <UntrustedText text={description} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
