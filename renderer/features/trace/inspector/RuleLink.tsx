// The rule that decided a call: an object and the path in it, or a default of the server.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { PeekLink } from '../../../inspector/PeekLink.tsx';

export interface RuleLinkProps {
  readonly rule: NonNullable<TraceEntry['rule']>;
  readonly linked: boolean;
}

export function RuleLink({ rule, linked }: RuleLinkProps) {
  const { kind = 'default', namespace, name, path } = rule;
  const text = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`;
  const place = path !== undefined && <code className="ml-1 font-mono text-sm text-muted">{path}</code>;
  if (kind === 'default' || namespace === undefined || name === undefined) {
    return (
      <span>
        {kind === 'default' ? 'Server default' : text}
        {place}
      </span>
    );
  }
  return (
    <span>
      {linked ? <PeekLink object={{ kind, namespace, name }}>{text}</PeekLink> : text}
      {place}
    </span>
  );
}
