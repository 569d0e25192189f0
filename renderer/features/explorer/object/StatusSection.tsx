// Status of an object: the last error first, then conditions, then everything else.
import { filledText, isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Field } from '@svc/shared/kinds/kind-fields';
import { FieldList } from './FieldList.tsx';

export interface StatusSectionProps {
  readonly resource: Resource;
  readonly field: Field | undefined;
  /** Names that the page shows elsewhere. */
  readonly omit?: readonly string[] | undefined;
}

/** Shown elsewhere on the page, or of no use to people. */
const APART: ReadonlySet<string> = new Set(['phase', 'lastError', 'conditions', 'observedGeneration']);

export function StatusSection({ resource, field, omit = [] }: StatusSectionProps) {
  const { status, metadata } = resource;
  const { lastError, conditions, observedGeneration } = status;
  const rest = Object.entries(status).filter(([name]) => !APART.has(name) && !omit.includes(name));
  const behind = typeof observedGeneration === 'number' && observedGeneration < metadata.generation;
  return (
    <>
      {typeof lastError === 'string' && lastError !== '' && (
        <section role="status" className="flex gap-3 rounded-lg border border-danger/35 bg-danger-soft p-4">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          <div className="min-w-0">
            <h2 className="font-semibold">Last error</h2>
            <UntrustedText block text={lastError} />
          </div>
        </section>
      )}
      {(rest.length > 0 || Array.isArray(conditions) || behind) && (
        <Card title="Status" description={behind ? 'The last change has not been applied yet.' : undefined}>
          {Array.isArray(conditions) && <Conditions conditions={conditions} />}
          <FieldList
            namespace={metadata.namespace}
            entries={rest.map(([name, value]) => ({
              name,
              value,
              path: `status.${name}`,
              field: field?.children.get(name),
              verbatim: false,
            }))}
          />
        </Card>
      )}
    </>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly unknown[] }) {
  return (
    <ul className="mb-3 flex flex-col gap-2">
      {conditions.filter(isObject).map((condition, index) => {
        const good = condition.status === 'True' || condition.status === true;
        const message = filledText(condition.message) ?? filledText(condition.reason);
        return (
          <li key={index} className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge tone={good ? 'ok' : 'warn'} icon={good ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}>
              {filledText(condition.type) ?? 'Condition'}: {JSON.stringify(condition.status ?? 'Unknown').replaceAll('"', '')}
            </Badge>
            {message !== undefined && <UntrustedText text={message} className="text-muted" />}
            <Time at={filledText(condition.lastTransitionTime)} sentence className="text-sm text-muted" />
          </li>
        );
      })}
    </ul>
  );
}
