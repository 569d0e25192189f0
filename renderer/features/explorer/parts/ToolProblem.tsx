// Whether a Tool can run as it is configured: a badge in lists, the reason on pages. The server checks it.
import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import { api } from '../../../live/api.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export interface ToolProblemProps {
  readonly tool: { readonly namespace: string; readonly name: string };
}

function useToolProblem({ namespace, name }: ToolProblemProps['tool']) {
  return useQuery(api.access.toolProblem.queryOptions({ namespace, name })).data;
}

export function CannotRun({ tool }: ToolProblemProps) {
  const problem = useToolProblem(tool);
  if (!problem) return null;
  return (
    <Badge tone={problem.passing ? 'warn' : 'danger'} icon={<CircleSlash aria-hidden />} title={problem.message}>
      {problem.passing ? 'Cannot run now' : 'Cannot run'}
    </Badge>
  );
}

export function ToolProblem({ tool }: ToolProblemProps) {
  const problem = useToolProblem(tool);
  if (!problem) return null;
  return (
    <section role="status" className="flex gap-3 rounded-lg border border-danger/35 bg-danger-soft p-4">
      <CircleSlash aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <h2 className="font-semibold">{problem.passing ? 'This tool cannot run now' : 'This tool cannot run as configured'}</h2>
        <UntrustedText block text={problem.message} />
        <p className="mt-1 text-muted">Calls fail on this server, and no approval is requested for them.</p>
      </div>
    </section>
  );
}
