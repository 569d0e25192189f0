// Runs an ended Task again, as a new Task of its own.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { marksElsewhere, staysReason, targetOf, trialWith, type RetryTarget } from '@svc/shared/kinds/task/retry-target';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { ANNOTATION_PREFIX, type Resource, type ResourceKey } from '@svc/shared/resource';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { creatorsOf } from '../../registry/principal.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { StoredObject } from '../../store/store.ts';

const NAME_MAX_CHARS = 253;
/** Names tried before giving up. */
const RETRIES_MAX = 1_000;

export interface RetryOptions {
  /** Replaces the input of the Task. */
  readonly input?: Readonly<Record<string, string>> | undefined;
  /** Chosen by the caller for one retry: the same again answers with the Task it made. */
  readonly key?: string | undefined;
  /** Namespace of the new Task. Default: that of the Task. */
  readonly toNamespace?: string | undefined;
  /** Version of the system, which makes the new Task a trial; 0 for the current one. Default: as the Task has it. */
  readonly systemGeneration?: number | undefined;
}

const RETRY_OF = `${ANNOTATION_PREFIX}retry-of`;
const RETRY_KEY = `${ANNOTATION_PREFIX}retry-key`;

export interface RetryRequest extends RetryOptions {
  readonly task: StoredObject;
}

/**
 * Makes `<name>-retry-<n>` with the first free n, or returns the one that was made with the key. Throws `conflict` for a template and while the Task has
 * not ended, `invalid` for a trial that cannot move to the namespace.
 */
export async function retryTask(
  registry: Registry,
  context: RequestContext,
  { task, input, key, ...elsewhere }: RetryRequest,
): Promise<Resource> {
  const { kind, name, namespace: home, generation } = task;
  requireEnded(task);
  const { namespace, labels, annotations: kept, spec } = copyFor(task, elsewhere);
  const annotations = { ...kept, [RETRY_OF]: `${home}/${name}`, ...(key !== undefined && { [RETRY_KEY]: key }) };
  const repeats = { kind, namespace: home, name, generation };
  for (let n = 1; n <= RETRIES_MAX; n += 1) {
    const body = { metadata: { name: retryName(name, n), labels, annotations }, spec: { ...spec, ...(input && { input }) } };
    try {
      return (await registry.post(context, { kind, namespace, body, repeats, alsoBy: creatorsOf(task), ifNoneMatch: '*' })).resource;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
      const taken = await find(registry, context, { kind, namespace, name: body.metadata.name });
      // Another conflict than that of the name.
      if (!taken) throw error;
      const { [RETRY_KEY]: takenKey, [RETRY_OF]: takenBy } = taken.metadata.annotations;
      if (key !== undefined && takenKey === key && takenBy === annotations[RETRY_OF]) return taken;
    }
  }
  throw new ServiceError('conflict', `Task ${home}/${name} has been retried ${RETRIES_MAX} times already; delete old retries first`);
}

function requireEnded(task: StoredObject): void {
  const { name, namespace } = task;
  const phase = statusOf('Task', task).phase;
  const ended: readonly string[] = TASK_TERMINAL_PHASES;
  if (specOf('Task', task).mode === 'template')
    throw new ServiceError('conflict', `Task ${namespace}/${name} is a template, which never runs; create a Task from it instead`);
  if (!ended.includes(phase))
    throw new ServiceError('conflict', `Task ${namespace}/${name} is ${phase}; only one that has ended can be retried`);
}

/** Namespace, marks and spec of the new Task. */
function copyFor(task: StoredObject, { toNamespace, systemGeneration }: Pick<RetryOptions, 'toNamespace' | 'systemGeneration'>) {
  const run = { namespace: task.namespace, spec: specOf('Task', task) };
  const own = targetOf(run);
  const { namespace, generation }: RetryTarget = {
    namespace: toNamespace ?? own.namespace,
    generation: systemGeneration ?? own.generation,
  };
  const moves = namespace !== own.namespace;
  const stays = moves ? staysReason(run.spec) : undefined;
  if (stays !== undefined) throw invalidFields('The retry', [{ path: 'to_namespace', message: `cannot be ${namespace}: ${stays}` }]);
  const { [RETRY_KEY]: _ofTask, ...others } = task.annotations;
  const { trial: _before, ...rest } = task.spec;
  const trial = trialWith(run, generation);
  return {
    namespace,
    labels: moves ? marksElsewhere(task.labels) : task.labels,
    annotations: moves ? marksElsewhere(others) : others,
    spec: generation === own.generation ? task.spec : { ...rest, ...(trial && { trial }) },
  };
}

async function find(registry: Registry, context: RequestContext, ref: ResourceKey): Promise<Resource | undefined> {
  try {
    return await registry.get(context, ref);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function retryName(name: string, n: number): string {
  const suffix = `-retry-${n}`;
  return `${name.slice(0, NAME_MAX_CHARS - suffix.length)}${suffix}`;
}
