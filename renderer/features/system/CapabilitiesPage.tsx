// Capabilities that this server reports, with instructions to enable the missing ones.
import { CircleCheck, CircleDashed } from 'lucide-react';
import { pageAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { cn } from '../../ui/cn.ts';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { adviceFor, byName, type Capability } from './capability-advice.ts';
import { useCapabilities } from './model/use-capabilities.ts';

export function CapabilitiesPage() {
  usePageTitle('Server');
  const { scope } = useScope();
  const query = useCapabilities();
  const on = query.data?.filter(({ enabled }) => enabled).length ?? 0;
  return (
    <>
      <PageHeader
        title="Server"
        meta={query.data && `${on} of ${query.data.length} capabilities are on.`}
        actions={<LinkButton href={pageAddress(scope, 'workers')}>Workers</LinkButton>}
      />
      <div className="px-6 pb-10 max-sm:px-4">
        <QueryState query={query} title="The capabilities could not be loaded" skeleton="h-60 rounded-lg" />
        <Capabilities title="On" enabled all={query.data ?? []} />
        <Capabilities title="Off" enabled={false} all={query.data ?? []} />
      </div>
    </>
  );
}

interface CapabilitiesProps {
  readonly title: string;
  readonly enabled: boolean;
  readonly all: readonly Capability[];
}

/** Those that are on, or off. Apart, as the instructions make the cards of the latter taller. */
function Capabilities({ title, enabled, all }: CapabilitiesProps) {
  const shown = byName(all.filter((capability) => capability.enabled === enabled));
  if (shown.length === 0) return null;
  return (
    <section aria-label={title} className="mb-6">
      <h2 className="mb-2 text-sm font-medium text-muted">{title}</h2>
      <ul className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {shown.map((capability) => (
          <CapabilityCard key={capability.id} capability={capability} />
        ))}
      </ul>
    </section>
  );
}

function CapabilityCard({ capability }: { readonly capability: Capability }) {
  const { id, enabled, description, source } = capability;
  const advice = adviceFor(capability);
  const Icon = enabled ? CircleCheck : CircleDashed;
  return (
    <li className="flex flex-col rounded-lg border border-border bg-surface p-4 shadow-raised">
      <h3 className="flex items-center gap-2 text-md font-semibold">
        <Icon aria-hidden className={cn('size-4 shrink-0', enabled ? 'text-ok' : 'text-faint')} />
        <span className="min-w-0 flex-1 truncate">{id}</span>
        <Badge tone={enabled ? 'ok' : 'neutral'}>{enabled ? 'On' : 'Off'}</Badge>
      </h3>
      <p className="mt-1 flex-1 text-pretty text-muted">
        <UntrustedText text={description} />
      </p>
      {advice !== undefined && <p className="mt-2 border-t border-border/60 pt-2 text-sm text-pretty">{advice}</p>}
      {advice?.includes(source) !== true && (
        <p className="mt-2 font-mono text-xs text-faint">{source === 'build' ? 'part of the build' : source}</p>
      )}
    </li>
  );
}
