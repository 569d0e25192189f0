// Objects of the fake server: lists, counts and single reads over objects in memory, selected as the server selects them.
import { matchesFields, parseFieldSelector } from '@svc/shared/field-selector';
import { matchesLabels, parseLabelSelector } from '@svc/shared/labels';
import type { Resource } from '@svc/shared/resource';
import { refusal, type Answers } from './fake-link.ts';

interface Selection {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly q?: string | undefined;
}

type Parts = Partial<Omit<Resource['metadata'], 'name'>> & { readonly spec?: object; readonly status?: object };

/** An object as the server sends it, in namespace `ops`, created on the first of January 2026. */
export function objectOf(kind: string, name: string, { spec = {}, status = {}, ...metadata }: Parts = {}): Resource {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const own = { namespace: 'ops', uid: `uid-${kind}-${name}`, resourceVersion: '1', generation: 1, createdAt, updatedAt: createdAt };
  return { apiVersion: 'svc.dev/v1', kind, metadata: { name, labels: {}, annotations: {}, ...own, ...metadata }, spec, status } as Resource;
}

/** Answers of `resources` for `serve`. The objects are read at each call, so a test may change the array. */
export function answerObjects(objects: readonly Resource[]): NonNullable<Answers['resources']> {
  const select = ({ kind, namespace, labelSelector, fieldSelector, q }: Selection) => {
    const fields = fieldSelector === undefined ? [] : parseFieldSelector(fieldSelector);
    const labels = labelSelector === undefined ? [] : parseLabelSelector(labelSelector);
    return objects.filter(
      (object) =>
        (kind === undefined || object.kind === kind) &&
        (namespace === undefined || object.metadata.namespace === namespace) &&
        matchesLabels(labels, object.metadata.labels) &&
        matchesFields(fields, object) &&
        (q === undefined || JSON.stringify(object).includes(q)),
    );
  };
  return {
    list: (input) => ({ items: select(input) }),
    counts: ({ selections }) => selections.map((selection) => ({ count: select(selection).length, more: false })),
    get: ({ kind, namespace, name }) => {
      const found = select({ kind, namespace }).find(({ metadata }) => metadata.name === name);
      if (!found) throw refusal('not_found', `${kind} ${name} does not exist`);
      return found;
    },
  };
}
