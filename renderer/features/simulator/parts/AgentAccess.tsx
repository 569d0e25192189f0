// Tools of an agent with the current verdict on each, by the judge of real runs: allowed, approval or denied, and the deciding rule.
import { memoryToolName } from '@svc/shared/kinds/tool/built-in';
import type { Resource } from '@svc/shared/resource';
import { parseRef } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { simulatorAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { CannotRun } from '../../explorer/parts/ToolProblem.tsx';
import { DecidedBy, VerdictBadge } from './verdict.tsx';

/** Each is one question to the server. */
const TOOLS_MAX = 64;

export function AgentAccess({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const { tools = [], allowed_tools: allowed = [], roles = [], memory } = specOf('Agent', resource);
  const ofMemory = (memory?.allow ?? []).map(memoryToolName);
  const all = [...new Set([...tools, ...allowed, ...ofMemory])];
  const shown = all.slice(0, TOOLS_MAX);
  return (
    <Card
      title="Effective permissions"
      description="Calls of each tool under the current rules. A run in a system, or one that a policy targets, may get another verdict."
      actions={
        <LinkButton size="sm" icon={<FlaskConical />} href={simulatorAddress(namespace, { agent: name })}>
          Policy simulator
        </LinkButton>
      }
      footer={all.length > shown.length ? `The first ${TOOLS_MAX} of ${all.length} tools are shown.` : undefined}
      flush
    >
      {all.length === 0 ? (
        <p className="px-4 py-3 text-muted">The agent has no tools: it answers from its prompt and its input alone.</p>
      ) : (
        <ul aria-label="Effective permissions">
          {shown.map((tool) => (
            <ToolAccess key={tool} agent={{ namespace, name }} tool={tool} isStored={tools.includes(tool) || !ofMemory.includes(tool)} />
          ))}
        </ul>
      )}
      {all.length > 0 && (
        <p className="border-t border-border/60 px-4 py-2 text-sm text-muted">
          {roles.length === 0 ? 'The agent has no roles.' : `Roles: ${roles.join(', ')}.`}
        </p>
      )}
    </Card>
  );
}

interface ToolAccessProps {
  readonly agent: { readonly namespace: string; readonly name: string };
  readonly tool: string;
  /** A built-in tool has no object. */
  readonly isStored: boolean;
}

function ToolAccess({ agent: { namespace, name }, tool, isStored }: ToolAccessProps) {
  const { scope } = useScope();
  const { data, error } = useQuery(api.access.check.queryOptions({ namespace, agent: name, tool }, { retry: false }));
  const key = parseRef(tool, namespace);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-border/60 px-4 py-2 last:border-0">
      {isStored ? (
        <PeekLink object={{ kind: 'Tool', ...key }} className="min-w-40 font-mono text-sm">
          {tool}
        </PeekLink>
      ) : (
        <span className="min-w-40 font-mono text-sm">{tool}</span>
      )}
      {data && (
        <>
          <VerdictBadge answer={data} />
          {isStored && <CannotRun tool={key} />}
          <DecidedBy answer={data} scope={scope} />
          <span className="basis-full text-sm text-pretty text-muted">
            <UntrustedText text={capitalized(data.message)} />
          </span>
        </>
      )}
      {!data && error === null && <Skeleton className="w-40" />}
      {!data && error !== null && <span className="text-sm text-danger">{problemOf(error).message}</span>}
    </li>
  );
}
