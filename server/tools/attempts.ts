// Stages "secrets" and "execute" of a call: attempts with fresh credentials, each under its own time limit.
import type { Clock } from '../clock.ts';
import { withDeadline } from '../egress/deadline.ts';
import { CallError } from '../engine/ports.ts';
import { credentialsOf, type Credentials, type CredentialSources } from './credentials.ts';
import { withRetries } from './retry.ts';
import { toolTitle, type ToolAnswer, type ToolCall, type ToolRun, type ToolRuntime } from './runtime.ts';
import { callSettings } from './tool-settings.ts';

export interface AttemptDeps extends CredentialSources {
  readonly clock: Clock;
  readonly random: () => number;
}

export interface Attempted {
  readonly answer: ToolAnswer;
  /** How many were made. */
  readonly attempts: number;
}

/** Rejects with the CallError of the last attempt, which says how many were made. */
export async function attemptCall(deps: AttemptDeps, call: ToolCall, runtime: ToolRuntime): Promise<Attempted> {
  const settings = callSettings(call.tool);
  const { clock, random } = deps;
  const { signal } = call;
  const what = `call of ${toolTitle(call.tool)}`;
  await runtime.prepare?.(call);
  return withRetries({ rule: settings.retry, clock, random, signal, what }, async (attempt) => {
    const deadline = clock.now() + settings.timeoutMs;
    const answer = await withDeadline({ clock, timeoutMs: settings.timeoutMs, signal, what }, (limited) =>
      attemptOnce(deps, runtime, { ...call, settings, attempt, deadline, signal: limited }),
    );
    return { answer, attempts: attempt };
  });
}

/** A token that the tool no longer takes is replaced once within the attempt. Source: SPEC "Tool authentication (outbound)". */
async function attemptOnce(deps: AttemptDeps, runtime: ToolRuntime, run: Omit<ToolRun, 'credentials'>): Promise<ToolAnswer> {
  const credentials = await freshCredentials(deps, run);
  try {
    return await runtime.run({ ...run, credentials });
  } catch (error) {
    const renewable = credentials.evict && error instanceof CallError && error.code === 'auth_invalid';
    if (!renewable || run.signal.aborted) throw error;
    credentials.evict();
    return runtime.run({ ...run, credentials: await freshCredentials(deps, run) });
  }
}

async function freshCredentials(deps: AttemptDeps, { tool, signal, conceal }: Omit<ToolRun, 'credentials'>): Promise<Credentials> {
  const credentials = await credentialsOf(tool, deps, signal);
  conceal(credentials.secrets);
  return credentials;
}
