// A reference to another object: its target, and whether the target exists.
import { isBuiltInTool } from '@svc/shared/kinds/tool/built-in';
import { CircleSlash } from 'lucide-react';
import { type ObjectRef } from '../../../navigation/addresses.ts';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { useScope } from '../../../navigation/scope.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';

export interface RefLinkProps {
  readonly object: ObjectRef;
  readonly exists?: boolean | undefined;
  /** The field that refers to it, such as `spec.tool_ref`. */
  readonly path: string;
  /** The default namespace, which is not shown. */
  readonly home?: string | undefined;
}

export function RefLink({ object, exists = true, path, home }: RefLinkProps) {
  const { scope } = useScope();
  if (!exists && isBuiltInTool({ ...object, path }))
    return <span className="min-w-0 [overflow-wrap:anywhere]">{object.name} (built in)</span>;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
      <span aria-hidden className="shrink-0 text-faint [&_svg]:size-3.5">
        <KindIcon kind={object.kind} />
      </span>
      <PeekLink object={object} scope={scope} className="min-w-0 [overflow-wrap:anywhere]">
        {object.namespace !== home && <span className="text-muted">{object.namespace}/</span>}
        {object.name}
      </PeekLink>
      {!exists && (
        <Badge tone="danger" icon={<CircleSlash aria-hidden />} title={`${object.kind} ${object.namespace}/${object.name} does not exist`}>
          missing
        </Badge>
      )}
    </span>
  );
}
