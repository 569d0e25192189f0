// Whether the variants of an experiment can run as the definitions are now: the snapshot of a run of each is taken and thrown away.
import type { FieldError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import { task as taskKind } from '@svc/shared/kinds/task/index';
import type { NamespacedName } from '@svc/shared/resource';
import { loadDefinitions } from '../engine/definitions/load-definitions.ts';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { taskOf } from './cells.ts';
import { EXPERIMENT } from './records.ts';

/** Problems of one variant that are named. */
const SHOWN_MAX = 10;
const EPOCH = new Date(0).toISOString();

/** Every reason why a variant cannot run, at the path of the variant. */
export async function variantProblems(
  reader: StoreReader,
  { namespace, name }: NamespacedName,
  spec: StoredObject['spec'],
): Promise<FieldError[]> {
  const { variants } = specOf(EXPERIMENT, { spec, namespace, name });
  const problems: FieldError[] = [];
  for (const index of variants.keys()) {
    // The first runs of the table have one variant each.
    const found = await loadDefinitions(reader, draftTask({ namespace, name, spec }, index + 1));
    if (found.kind !== 'invalid') continue;
    problems.push(
      ...found.problems.slice(0, SHOWN_MAX).map((problem) => ({ path: `spec.variants[${index}]`, message: `cannot run: ${problem}` })),
    );
  }
  return problems;
}

function draftTask(experiment: NamespacedName & Pick<StoredObject, 'spec'>, run: number): StoredObject {
  const { namespace, name } = experiment;
  const spec = taskKind.normalize(taskOf(experiment, run).spec, { namespace, name }) as unknown as StoredObject['spec'];
  return {
    ...{ kind: 'Task', namespace, name, uid: '', spec, status: {}, labels: {}, annotations: {} },
    ...{ generation: 1, resourceVersion: 1, createdAt: EPOCH, updatedAt: EPOCH },
  };
}
