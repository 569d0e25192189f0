// Fake checks of tool inputs, for tests and benchmarks that run the engine.
import type { JsonObject } from '@svc/shared/json';
import type { CallError, InputChecks, InputTool } from '../engine/ports.ts';

export type InputScript = (tool: InputTool, input: JsonObject) => CallError | undefined;

/** Default: everything fits. */
export function scriptedInputs(script: InputScript = () => undefined): InputChecks {
  return { check: (tool, input) => Promise.resolve().then(() => script(tool, input)), checkNow: script };
}
