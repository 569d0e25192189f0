// Name of a rule, with a link to its object.
import type { AccessRule } from '@svc/shared/api/access';
import { describeKey } from '@svc/shared/resource';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { createContext, useContext } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { ruleText } from '../check.ts';

/** Objects of a what-if, by `Kind namespace/name`: the stored objects of these names differ or do not exist. */
export const DraftedRules = createContext<ReadonlySet<string>>(new Set());

export function RuleName({ rule, scope }: { readonly rule: AccessRule; readonly scope: string }) {
  const { kind, namespace, name } = rule;
  const drafted = useContext(DraftedRules);
  if (name === undefined || namespace === undefined) return <span className="font-medium">{ruleText(rule)}</span>;
  if (drafted.has(describeKey({ kind, namespace, name }))) {
    return (
      <span className="[overflow-wrap:anywhere]">
        {ruleText(rule)} <Badge tone="accent">as changed here</Badge>
      </span>
    );
  }
  return (
    <PeekLink object={{ kind, namespace, name }} scope={scope} className="[overflow-wrap:anywhere]">
      {ruleText(rule)}
    </PeekLink>
  );
}
