// A rule by name, leading to the object it stands in.
import type { AccessRule } from '@svc/shared/api/access';
import { objectAddress } from '../../app/addresses.ts';
import { Link } from '../../ui/Link.tsx';
import { ruleText } from './check.ts';

export function RuleName({ rule, scope }: { readonly rule: AccessRule; readonly scope: string }) {
  const { kind, namespace, name } = rule;
  if (name === undefined || namespace === undefined) return <span className="font-medium">{ruleText(rule)}</span>;
  return (
    <Link href={objectAddress({ kind, namespace, name }, scope)} className="[overflow-wrap:anywhere]">
      {ruleText(rule)}
    </Link>
  );
}
