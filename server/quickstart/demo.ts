// Client part of the quickstart: applies the pipeline blueprint over HTTP to the started server, runs a Task and follows it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@svc/shared/json';
import { API_VERSION, DEFAULT_NAMESPACE, type Resource } from '@svc/shared/resource';
import type { ApiClient } from '../cli/api/client.ts';
import { followRun, getTask, type TaskKey } from '../cli/api/follow-trace.ts';
import { generatedName } from '../cli/arguments/generated-name.ts';
import { blueprintsDirectory } from '../installation.ts';
import { parseManifests } from '../cli/manifests/manifest-files.ts';
import type { TraceEntry } from '../cli/api/trace-entry.ts';

export const BLUEPRINT = 'pipeline';

type Document = Readonly<Record<string, unknown>>;

export interface Blueprint {
  /** Everything but Tasks. */
  readonly objects: readonly Document[];
  readonly taskSpec: Document;
}

/** The blueprint with its tool pointed at `toolUrl`. */
export async function readBlueprint(toolUrl: string): Promise<Blueprint> {
  const file = join(blueprintsDirectory(), BLUEPRINT, `${BLUEPRINT}.yaml`);
  const { documents, problems } = parseManifests(file, await readFile(file, 'utf8'));
  if (problems.length > 0) throw new Error(`${file} is damaged: ${problems[0]?.message}`);
  const values = documents.map((document) => document.value as Document);
  const spec = (value: Document): Document => (isObject(value['spec']) ? value['spec'] : {});
  const task = values.find((value) => value['kind'] === 'Task');
  return {
    objects: values
      .filter((value) => value['kind'] !== 'Task')
      .map((value) => (value['kind'] === 'Tool' ? { ...value, spec: { ...spec(value), endpoint: toolUrl } } : value)),
    taskSpec: task ? spec(task) : {},
  };
}

export async function applyObjects(client: ApiClient, objects: readonly Document[]): Promise<void> {
  const content = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  await client.send({
    method: 'POST',
    path: '/v1/apply',
    query: { fieldValidation: 'Strict' },
    text: { content, type: 'application/yaml' },
  });
}

export async function startTask(client: ApiClient, spec: Document): Promise<TaskKey> {
  const key = { namespace: DEFAULT_NAMESPACE, name: generatedName(BLUEPRINT) };
  await client.send({ method: 'POST', path: '/v1/tasks', body: { apiVersion: API_VERSION, kind: 'Task', metadata: key, spec } });
  return key;
}

/** Hands every step to `onStep` as it happens and answers with the Task once it has ended. */
export async function followTask(
  client: ApiClient,
  key: TaskKey,
  options: { onStep: (entry: TraceEntry) => void; signal: AbortSignal },
): Promise<Resource> {
  for await (const entry of followRun(client, key, { signal: options.signal })) options.onStep(entry);
  return getTask(client, key);
}
