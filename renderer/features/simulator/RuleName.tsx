// A rule by name, leading to the object it stands in.
import type { AccessRule } from '@svc/shared/api/access';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { createContext, useContext } from 'react';
import { Badge } from '../../ui/Badge.tsx';
import { ruleText } from './check.ts';
import { refText } from './what-if.ts';

/** Objects as a what-if has them, by `Kind namespace/name`: what is stored under their names is something else, or nothing. */
export const DraftedRules = createContext<ReadonlySet<string>>(new Set());

export function RuleName({ rule, scope }: { readonly rule: AccessRule; readonly scope: string }) {
  const { kind, namespace, name } = rule;
  const drafted = useContext(DraftedRules);
  if (name === undefined || namespace === undefined) return <span className="font-medium">{ruleText(rule)}</span>;
  if (drafted.has(refText({ kind, namespace, name }))) {
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
