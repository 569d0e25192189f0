// Remote agents, for the tools of a process and for the registry of its server: one cache of cards, one way out.
import { readFileSync } from 'node:fs';
import { ServiceError } from '@svc/shared/errors';
import { createAgentCalls, type AgentCallsOptions } from '../a2a/client/agent-calls.ts';
import { createAgentDirectory, type AgentDirectory } from '../a2a/client/directory.ts';
import { readTrustedKeys, type TrustedKeys } from '../a2a/cards/card-check.ts';
import type { Clock } from '../clock.ts';
import type { ProcessConfig } from '../config.ts';
import { createEgress } from '../egress/create-egress.ts';
import { A2A_PERMITTED_BY, type AgentCalls } from '../tools/a2a/a2a-tool.ts';

export interface RemoteAgents {
  readonly calls: AgentCalls;
  readonly directory: AgentDirectory;
  /** Way out to remote agents and to receivers of push notifications. */
  readonly outbound: Pick<AgentCallsOptions, 'egress' | 'allowPrivate' | 'permittedBy'>;
  /** Idempotent. */
  close(): Promise<void>;
}

type Settings = Pick<ProcessConfig, 'a2aTrustedCardKeys' | 'a2aRequireSignedCards'> & {
  readonly tools: Pick<ProcessConfig['tools'], 'allowPrivateAgents'>;
};

/** Throws `invalid` for a file of keys that cannot be read or used. */
export function openRemoteAgents(config: Settings, clock: Clock): RemoteAgents {
  const { a2aTrustedCardKeys: file, a2aRequireSignedCards: requireSigned, tools } = config;
  const trustedKeys = file === undefined ? undefined : readKeys(file);
  const egress = createEgress();
  const guard = { egress, clock, allowPrivate: tools.allowPrivateAgents, permittedBy: A2A_PERMITTED_BY };
  const directory = createAgentDirectory({ ...guard, trustedKeys, requireSigned });
  const calls = createAgentCalls({ ...guard, directory });
  return {
    calls,
    directory,
    outbound: guard,
    async close() {
      await calls.close();
      await egress.close();
    },
  };
}

function readKeys(file: string): TrustedKeys {
  try {
    return readTrustedKeys(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ServiceError('invalid', `The keys of --a2a-trusted-card-keys, ${file}, cannot be used: ${code ?? message}`);
  }
}
