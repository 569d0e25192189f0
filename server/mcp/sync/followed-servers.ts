// State of the servers that a sync follows, within the term of its lease.
import type { NamespacedName } from '@svc/shared/resource';
import type { StoredObject } from '../../store/store.ts';
import type { DiscoveredTool } from '../connection.ts';
import type { HeldConnection } from '../connections.ts';

export interface FollowedServer {
  readonly uid: string;
  readonly generation: number;
  held?: HeldConnection | undefined;
  /** The connection whose fact is in the log. */
  announced?: HeldConnection | undefined;
  /** The connection that ended by itself, until that is reported. */
  ended?: HeldConnection | undefined;
  tools?: readonly DiscoveredTool[] | undefined;
  listedAt: number;
  /** Readings of the list, each soon after the one before. */
  quickReadings: number;
  attempts: number;
  retryAt: number;
}

interface FollowedServers {
  /** State of this generation of the server, made where there is none. */
  readonly stateOf: (server: StoredObject) => FollowedServer;
  /** Undefined for a server that is not followed. */
  readonly known: (key: NamespacedName) => FollowedServer | undefined;
  readonly forget: (key: NamespacedName) => void;
  readonly forgetAll: () => void;
}

export function followServers(): FollowedServers {
  const followed = new Map<string, FollowedServer>();
  const textOf = ({ namespace, name }: NamespacedName) => `${namespace}/${name}`;
  const forget = (key: NamespacedName): void => {
    followed.get(textOf(key))?.held?.release();
    followed.delete(textOf(key));
  };
  return {
    forget,
    known: (key) => followed.get(textOf(key)),
    stateOf(server) {
      const known = followed.get(textOf(server));
      if (known?.uid === server.uid && known.generation === server.generation) return known;
      forget(server);
      const { uid, generation } = server;
      const fresh: FollowedServer = { uid, generation, listedAt: 0, quickReadings: 0, attempts: 0, retryAt: 0 };
      followed.set(textOf(server), fresh);
      return fresh;
    },
    forgetAll() {
      for (const { held } of followed.values()) held?.release();
      followed.clear();
    },
  };
}
