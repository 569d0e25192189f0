// The prompt and the tools of an agent as they are now: a trace keeps neither, so it is said when they have changed since.
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { objectAddress } from '../../app/addresses.ts';
import { api } from '../../live/api.ts';
import { Badge } from '../../ui/Badge.tsx';
import { cn } from '../../ui/cn.ts';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { JsonTree } from '../../ui/JsonTree.tsx';
import { Link } from '../../ui/Link.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { refOf } from './refs.ts';
import { ValueView } from './ValueView.tsx';

export interface AgentDefinitionProps {
  readonly agent: string;
  readonly namespace: string;
  /** When the model was called. */
  readonly usedAt: number;
}

export function AgentDefinition(props: AgentDefinitionProps) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label="Prompt and tools" className="min-w-0 rounded-md border border-border">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 px-3 text-left text-sm font-medium hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', open && 'rotate-90')} />
        Prompt and tools of {props.agent}, as they are now
      </button>
      {open && <Definition {...props} />}
    </section>
  );
}

function Definition({ agent, namespace, usedAt }: AgentDefinitionProps) {
  const ref = refOf('Agent', agent, namespace);
  const { data, error, refetch } = useQuery(api.resources.get.queryOptions(ref));
  if (error) return <ErrorCard className="m-3" title="The agent could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="m-3 w-1/2" />;
  const { prompt, tools } = data.spec as { readonly prompt?: string; readonly tools?: readonly string[] };
  const changed = Date.parse(data.metadata.updatedAt) > usedAt;
  return (
    <div className="flex flex-col gap-3 border-t border-border p-3">
      {changed && <Badge tone="warn">Changed since this call; the run used the definition of its beginning</Badge>}
      <p className="text-sm text-muted">
        Traces keep what each step added. The system prompt is the agent’s own; see <Link href={objectAddress(ref)}>{agent}</Link>.
      </p>
      <ValueView title="System prompt" value={prompt ?? ''} />
      <div className="flex flex-col gap-1.5">
        <h3 className="text-sm font-medium text-muted">Tools ({tools?.length ?? 0})</h3>
        {(tools ?? []).map((tool) => (
          <ToolSchema key={tool} tool={tool} namespace={namespace} />
        ))}
      </div>
    </div>
  );
}

function ToolSchema({ tool, namespace }: { readonly tool: string; readonly namespace: string }) {
  const [open, setOpen] = useState(false);
  const ref = refOf('Tool', tool, namespace);
  const { data, isError } = useQuery({ ...api.resources.get.queryOptions(ref), enabled: open });
  const schema = data?.spec['input_schema'];
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1.5 font-mono text-sm hover:underline"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', open && 'rotate-90')} />
        {tool}
      </button>
      {open && isError && <p className="pl-5 text-sm text-muted">There is no such Tool in this namespace now; it may be built in.</p>}
      {open && data && schema === undefined && <p className="pl-5 text-sm text-muted">The tool declares no schema of its input.</p>}
      {open && schema !== undefined && <JsonTree label={`Input schema of ${tool}`} value={schema} className="mt-1 max-h-64" />}
    </div>
  );
}
