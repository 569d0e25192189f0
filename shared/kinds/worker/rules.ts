// Rules of Worker at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { defined, trimEach, trimmed } from '../clean.ts';
import { noBlanks } from '../field-rules.ts';
import type { WrittenWorkerSpec } from './schema.ts';

const MAX_CONCURRENT_TASKS_DEFAULT = 1;

export function normalizeWorker(spec: WrittenWorkerSpec) {
  const { capabilities, max_concurrent_tasks: wanted = 0 } = spec;
  return defined({
    ...spec,
    region: trimmed(spec.region),
    capabilities: capabilities && defined({ ...capabilities, supported_models: trimEach(capabilities.supported_models) }),
    max_concurrent_tasks: wanted > 0 ? wanted : MAX_CONCURRENT_TASKS_DEFAULT,
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type WorkerSpec = ReturnType<typeof normalizeWorker>;

export function validateWorker(spec: WorkerSpec): FieldError[] {
  return noBlanks('spec.capabilities.supported_models', spec.capabilities?.supported_models);
}
