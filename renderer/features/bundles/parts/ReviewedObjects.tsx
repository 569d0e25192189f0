// Objects of a bundle with the effect of the import on each, and the difference that it makes.
import type { BundleAction, BundleReview, ReviewedObject } from '@svc/shared/api/bundles';
import { Suspense } from 'react';
import { stringify } from 'yaml';
import { DiffView } from '../../../editor/DiffView.tsx';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { DisclosureItem } from '../../../ui/layout/DisclosureItem.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';

const TONES: Readonly<Record<BundleAction, 'ok' | 'warn' | 'neutral'>> = { created: 'ok', configured: 'warn', unchanged: 'neutral' };
const WORDS: Readonly<Record<BundleAction, string>> = { created: 'new', configured: 'changed', unchanged: 'unchanged' };
const ORDER: readonly BundleAction[] = ['configured', 'created', 'unchanged'];

const yaml = (value: object): string => stringify(value, { lineWidth: 0 });

export function ReviewedObjects({ review }: { readonly review: BundleReview }) {
  const sorted = [...review.objects].sort((a, b) => ORDER.indexOf(a.action) - ORDER.indexOf(b.action));
  const count = (action: BundleAction) => review.objects.filter((object) => object.action === action).length;
  const counts = ORDER.filter((action) => count(action) > 0).map((action) => `${count(action)} ${WORDS[action]}`);
  return (
    <Card title="Objects" description={counts.join(', ')} flush>
      <ul aria-label="Objects of the bundle">
        {sorted.map((object) => (
          <Row key={`${object.kind} ${object.namespace}/${object.name}`} object={object} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ object }: { readonly object: ReviewedObject }) {
  const { kind, namespace, name, action, warnings = [] } = object;
  const line = (
    <>
      <span aria-hidden className="shrink-0 text-faint [&_svg]:size-4">
        <KindIcon kind={kind} />
      </span>
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{name}</span> <span className="text-muted">{kind}</span>{' '}
        <span className="text-sm text-muted">{namespace}</span>
      </span>
      <Badge tone={TONES[action]}>{WORDS[action]}</Badge>
    </>
  );
  const notes = warnings.length > 0 && (
    <ul className="flex flex-col gap-1 px-4 pb-2 pl-11 text-sm text-warn">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
  return (
    <DisclosureItem lineClass="flex min-h-row gap-2 px-4" line={line} startsOpen={action === 'configured'} notes={notes}>
      {() => (
        <div className="px-4 pb-3">
          <Suspense fallback={<Spinner />}>
            <Difference object={object} />
          </Suspense>
        </div>
      )}
    </DisclosureItem>
  );
}

function Difference({ object: { kind, name, action, current, next } }: { readonly object: ReviewedObject }) {
  const what = `${kind} ${name}`;
  if (!current || action === 'unchanged') return <CodeBlock text={yaml(next)} label={`Text of ${what}`} fileName={`${name}.yaml`} />;
  return (
    <DiffView
      before={yaml(current)}
      after={yaml(next)}
      beforeLabel="As it is"
      afterLabel="After the import"
      label={`Changes of ${what}`}
      className="h-80"
    />
  );
}
