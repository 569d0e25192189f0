// The agent cards of a server, signed where the operator gave a key.
import { readFileSync } from 'node:fs';
import { ServiceError } from '@svc/shared/errors';
import { createAgentCards, type AgentCards } from '../a2a/cards/card-service.ts';
import { createCardSigner, type CardSigner } from '../a2a/cards/card-signer.ts';
import type { CardSettings } from '../a2a/cards/card.ts';
import type { Config } from '../config.ts';
import type { AgentDirectory } from '../a2a/client/directory.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';

export interface AgentCardParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly directory: AgentDirectory;
  readonly settings: () => CardSettings;
}

/** Throws `invalid` for a key file that cannot be read or used. */
export function composeAgentCards({ a2aCardSigningKey: file }: Pick<Config, 'a2aCardSigningKey'>, parts: AgentCardParts): AgentCards {
  return createAgentCards({ ...parts, signer: file === undefined ? undefined : readSigner(file) });
}

function readSigner(file: string): CardSigner {
  try {
    return createCardSigner(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ServiceError('invalid', `The key of --a2a-card-signing-key, ${file}, cannot be used: ${code ?? message}`);
  }
}
