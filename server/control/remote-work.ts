// Approvals of the servers of profiles, followed beside those of this server: one follower for each server whose token may decide them.
import { ServiceError } from '@svc/shared/errors';
import type { FromServer, Profile } from '@svc/shared/control';
import type { Clock } from '../clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RequestContext } from '../registry/registry.ts';
import { FollowedWork } from './follow-work.ts';
import { RemoteServer } from './remote-server.ts';

/** Waits before a retry with a server that did not answer, or whose token may not decide. */
const RETRY = { backoffMs: 5_000, maxBackoffMs: 300_000, jitter: 'equal' } as const;

export interface RemoteWorkOptions {
  readonly gateway: Pick<Gateway, 'check' | 'send' | 'profiles'>;
  readonly clock: Clock;
  readonly context: RequestContext;
  readonly send: (message: FromServer) => void;
  /** Called when what keeps a server from being followed is another thing than before. */
  readonly onProblem: (profile: string, message: string) => void;
}

interface FollowedServer {
  /** Another server or another token of the profile is another key. */
  readonly key: string;
  readonly work: FollowedWork;
}

export class RemoteWork {
  readonly #options: RemoteWorkOptions;
  readonly #followed = new Map<string, FollowedServer>();
  #stopped = false;

  constructor(options: RemoteWorkOptions) {
    this.#options = options;
  }

  /** Follows the servers of the profiles as they are now. Idempotent. */
  update(): void {
    if (this.#stopped) return;
    const known = new Map(this.#options.gateway.profiles().map((each) => [each.profile.id, each]));
    for (const [id, { key, work }] of this.#followed) {
      const present = known.get(id);
      if (present && keyOf(present) === key) continue;
      this.#followed.delete(id);
      // The next follower of the profile may send notices with the same ids.
      work.withdraw();
      void work.stop();
    }
    for (const [id, profile] of known) {
      if (profile.token === undefined || this.#followed.has(id)) continue;
      const work = this.#follow(id);
      this.#followed.set(id, { key: keyOf(profile), work });
      work.start();
    }
  }

  /** Server of a profile, to decide its approvals. Rejected requests follow from a profile that is unknown. */
  serverOf(id: string): RemoteServer {
    return new RemoteServer(this.#options.gateway, id);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#followed.values()].map(({ work }) => work.stop()));
  }

  #follow(id: string): FollowedWork {
    const { clock, context, send, onProblem } = this.#options;
    const server = this.serverOf(id);
    let problem = '';
    return new FollowedWork({
      registry: server,
      watches: server,
      clock,
      context,
      counts: 'approvals',
      retry: RETRY,
      send: (message) => send(labelled(message, id)),
      reportError(error) {
        const said = error instanceof ServiceError ? error.message : 'The server failed';
        if (said !== problem) onProblem(id, said);
        problem = said;
      },
    });
  }
}

const keyOf = ({ profile, token }: { readonly profile: Profile; readonly token: string | undefined }): string =>
  JSON.stringify([profile.origin, profile.fingerprint, profile.name, token]);

/** Ids of two servers may be equal. */
function labelled(message: FromServer, profile: string): FromServer {
  if (message.type === 'notify' || message.type === 'notify-cancel') return { ...message, id: `${profile}:${message.id}`, profile };
  return message.type === 'badge' ? { ...message, profile } : message;
}
