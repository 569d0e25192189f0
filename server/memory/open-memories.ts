// Memories of this process with their open backends: one for each object, opened when needed, replaced when its spec changes.
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import { CallError } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { memoryTitle, type MemoryBackend, type MemoryTarget } from './backend.ts';
import type { MemoryProviders } from './provider-registry.ts';

export interface MemoryPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface OpenMemory extends MemoryPlace {
  readonly uid: string;
  readonly spec: MemorySpec;
  readonly backend: MemoryBackend;
  /** ModelEndpoint that makes its vectors; undefined where it searches by words, or its provider embeds by itself. */
  readonly model: string | undefined;
}

export interface OpenMemoriesOptions {
  readonly store: Pick<Store, 'getObject'>;
  readonly secrets: SecretResolver;
  readonly providers: MemoryProviders;
}

interface Held extends OpenMemory {
  readonly generation: number;
}

const KIND = 'Memory';
/** Backends kept open. */
const OPEN_MAX = 200;

const keyOf = ({ namespace, name }: MemoryPlace): string => `${namespace}/${name}`;

export class OpenMemories {
  readonly #options: OpenMemoriesOptions;
  /** In the order of their last use. */
  readonly #held = new Map<string, Held>();

  constructor(options: OpenMemoriesOptions) {
    this.#options = options;
  }

  /** Undefined for a Memory that does not exist. Throws CallError. */
  async find(place: MemoryPlace): Promise<OpenMemory | undefined> {
    const object = await this.#options.store.getObject({ kind: KIND, ...place });
    return object && this.open(object);
  }

  /** Throws CallError: `memory_provider` for a provider that this server does not have. */
  open(object: StoredObject): OpenMemory {
    const key = keyOf(object);
    const known = this.#held.get(key);
    if (known?.uid === object.uid && known.generation >= object.generation) {
      this.#held.delete(key);
      this.#held.set(key, known);
      return known;
    }
    const opened = this.#open(object);
    if (known) void known.backend.close();
    this.#held.delete(key);
    this.#held.set(key, opened);
    this.#closeOldest();
    return opened;
  }

  /** The open Memory of this place; undefined for one that was not opened in this process. */
  held(place: MemoryPlace): OpenMemory | undefined {
    return this.#held.get(keyOf(place));
  }

  /** Removes what a deleted Memory held. The backend is the one it was last opened with. */
  async erase(memory: OpenMemory, signal: AbortSignal): Promise<void> {
    const key = keyOf(memory);
    if (this.#held.get(key)?.uid === memory.uid) this.#held.delete(key);
    await memory.backend.erase(signal);
    await memory.backend.close();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map(({ backend }) => backend.close()));
    await this.#options.providers.close();
  }

  #open(object: StoredObject): Held {
    const { namespace, name, uid, generation } = object;
    const spec = specOf(KIND, object);
    const provider = this.#options.providers.get(spec.provider ?? '');
    if (!provider) {
      const known = this.#options.providers.names.join(', ');
      const message = `${memoryTitle(object)} has spec.provider "${spec.provider}", which this server does not support; use ${known}`;
      throw new CallError('execution_failed', message, { retryable: false, reason: 'memory_provider' });
    }
    const target: MemoryTarget = { namespace, name, uid, spec, secret: () => this.#secretOf(object, spec) };
    const backend = provider.open(target);
    return { namespace, name, uid, generation, spec, backend, model: provider.usesVectors ? spec.embedding_model : undefined };
  }

  async #secretOf({ namespace, name }: MemoryPlace, { auth }: MemorySpec): Promise<string | undefined> {
    const ref = auth?.secretRef;
    if (ref === undefined) return undefined;
    try {
      return (await this.#options.secrets.resolveValue(ref, namespace)).trim();
    } catch (error) {
      const known = error instanceof ServiceError ? `: ${error.message}` : '';
      const message = `${memoryTitle({ namespace, name })} spec.auth.secretRef: the Secret "${ref}" could not be resolved${known}`;
      throw new CallError('secret_resolution_failed', message, { retryable: true, reason: 'memory_secret', cause: error });
    }
  }

  #closeOldest(): void {
    const [oldest] = this.#held;
    if (this.#held.size <= OPEN_MAX || !oldest) return;
    this.#held.delete(oldest[0]);
    void oldest[1].backend.close();
  }
}
