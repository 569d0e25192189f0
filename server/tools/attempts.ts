// Stages "secrets" and "execute" of a call: attempts with fresh credentials, each under its own time limit.
import { isUnavailable } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import { withDeadline } from '../egress/deadline.ts';
import { CallError } from '../engine/ports.ts';
import { credentialsOf, type CredentialSources } from './credentials.ts';
import { withRetries } from './retry.ts';
import { toolTitle, type Credentials, type ToolAnswer, type ToolCall, type ToolRun, type ToolRuntime } from './runtime.ts';
import { callSettings } from './tool-settings.ts';

export interface AttemptDeps extends CredentialSources {
  readonly clock: Clock;
  readonly random: () => number;
}

export interface AttemptedCall {
  readonly answer: ToolAnswer;
  /** How many were made. */
  readonly attempts: number;
}

/** Rejects with the CallError of the last attempt, which says how many were made. */
export async function attemptCall(deps: AttemptDeps, call: ToolCall, runtime: ToolRuntime): Promise<AttemptedCall> {
  const settings = callSettings(call.tool);
  const timeoutMs = runtime.attemptMaxMs?.(settings) ?? settings.timeoutMs;
  const { clock, random } = deps;
  const { signal } = call;
  const what = `call of ${toolTitle(call.tool)}`;
  let prepared = false;
  return withRetries({ rule: settings.retry, clock, random, signal, what }, async (attempt) => {
    try {
      if (!prepared) await runtime.prepare?.(call);
      prepared = true;
      const deadline = clock.now() + timeoutMs;
      const answer = await withDeadline({ clock, timeoutMs, signal, what }, (limited) =>
        attemptOnce(deps, runtime, { ...call, settings, attempt, deadline, signal: limited }),
      );
      return { answer, attempts: attempt };
    } catch (error) {
      throw isUnavailable(error) ? serviceAway(what, error) : error;
    }
  });
}

/** Some runtimes read from the store, which may be away for a moment. The message of its error may name files of the server. */
function serviceAway(what: string, cause: unknown): CallError {
  return new CallError('execution_failed', `${what} failed: a part of this service, such as its database, did not answer`, {
    ...{ retryable: true, reason: 'service_unavailable', cause },
  });
}

type NewRun = Omit<ToolRun, 'credentials' | 'freshCredentials'>;

/** Replaces a token that the tool rejects, once within the attempt. */
async function attemptOnce(deps: AttemptDeps, runtime: ToolRuntime, run: NewRun): Promise<ToolAnswer> {
  let asked = 0;
  const freshCredentials = async (): Promise<Credentials> => {
    asked += 1;
    const fresh = await credentialsOf(run.tool, deps, run.signal);
    run.conceal(fresh.secrets);
    return fresh;
  };
  const credentials = await freshCredentials();
  try {
    return await runtime.run({ ...run, credentials, freshCredentials });
  } catch (error) {
    // A runtime that has requested fresh ones has replaced the token itself.
    const renewable = asked === 1 && error instanceof CallError && error.code === 'auth_invalid' && !run.signal.aborted;
    if (!renewable || !credentials.evict) throw error;
    credentials.evict();
    return runtime.run({ ...run, credentials: await freshCredentials(), freshCredentials });
  }
}
