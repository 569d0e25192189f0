// Memories of this process with their open backends: one for each object, opened when needed, replaced when its spec changes.
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { NamespacedName } from '@svc/shared/resource';
import { CallError } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { memoryTitle, type MemoryBackend } from './backend.ts';
import { erasuresOf, placeOf, type Erasure } from './erasures.ts';
import type { MemoryProviders } from './provider-registry.ts';

export interface OpenMemory extends NamespacedName {
  readonly uid: string;
  readonly spec: MemorySpec;
  readonly backend: MemoryBackend;
  /** ModelEndpoint that makes its vectors; undefined where it searches by words, or its provider embeds by itself. */
  readonly model: string | undefined;
  /** Whether its backend can fail and recover by itself. */
  readonly remote: boolean;
  /** Time between checks of a backend that answers. */
  readonly checkEveryMs: number;
}

export interface OpenMemoriesOptions {
  readonly store: Pick<Store, 'getObject' | 'listDocuments'>;
  readonly secrets: SecretResolver;
  readonly providers: MemoryProviders;
}

interface HeldMemory extends OpenMemory {
  readonly generation: number;
  /** False until it is known that no entries of an earlier Memory show up in it. */
  isEmptied: boolean;
}

const KIND = 'Memory';
/** Backends kept open. */
const OPEN_MAX = 200;
const CHECK_EVERY_MS = 60_000;

const keyOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;

export class OpenMemories {
  readonly #options: OpenMemoriesOptions;
  /** In the order of their last use. */
  readonly #held = new Map<string, HeldMemory>();

  constructor(options: OpenMemoriesOptions) {
    this.#options = options;
  }

  /** Undefined for a Memory that does not exist. Throws CallError, for example while entries of an earlier Memory would show up in it. */
  async find(place: NamespacedName): Promise<OpenMemory | undefined> {
    const object = await this.#options.store.getObject({ kind: KIND, ...place });
    if (!object) return undefined;
    const memory = this.open(object);
    if (!memory.isEmptied) await this.#requireEmptied(memory);
    return memory;
  }

  /** Throws CallError: `memory_provider` for a provider that this server does not have. */
  open(object: StoredObject): HeldMemory {
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

  /** Throws CallError when the Secret of its spec cannot be resolved, whether or not its backend reads it. */
  async checkSecret(memory: OpenMemory): Promise<void> {
    await this.#secretOf(memory, memory.spec);
  }

  /** Removes the entries of a deleted Memory at one of its places. Throws CallError. */
  async erase(erasure: Erasure, signal: AbortSignal): Promise<void> {
    const held = this.#held.get(keyOf(erasure));
    const isHeld = held?.uid === erasure.uid && placeOf(held.spec) === placeOf(erasure.spec);
    const { backend } = isHeld ? held : this.#backendOf(erasure, erasure.spec);
    await backend.erase(signal);
    if (isHeld) this.#held.delete(keyOf(erasure));
    await backend.close();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map(({ backend }) => backend.close()));
    await this.#options.providers.close();
  }

  #open(object: StoredObject): HeldMemory {
    const { namespace, name, uid, generation } = object;
    const spec = specOf(KIND, object);
    const { provider, backend } = this.#backendOf(object, spec);
    const { usesVectors, remote, byName, checkEveryMs = CHECK_EVERY_MS } = provider;
    const model = usesVectors ? spec.embedding_model : undefined;
    return { namespace, name, uid, generation, spec, backend, model, remote, checkEveryMs, isEmptied: !byName };
  }

  #backendOf({ namespace, name, uid }: NamespacedName & { readonly uid: string }, spec: MemorySpec) {
    const provider = this.#options.providers.get(spec.provider ?? '');
    if (provider) {
      const secret = () => this.#secretOf({ namespace, name }, spec);
      return { provider, backend: provider.open({ namespace, name, uid, spec, secret }) };
    }
    const known = this.#options.providers.names.join(', ');
    const message = `${memoryTitle({ namespace, name })} has spec.provider "${spec.provider}", which this server does not support; use ${known}`;
    throw new CallError('execution_failed', message, { retryable: false, reason: 'memory_provider' });
  }

  async #requireEmptied(memory: HeldMemory): Promise<void> {
    const erasures = await erasuresOf(this.#options.store, memory);
    memory.isEmptied = !erasures.some(({ spec }) => placeOf(spec) === placeOf(memory.spec));
    if (memory.isEmptied) return;
    const message = `${memoryTitle(memory)}: the entries of an earlier Memory of this name are being removed; try again`;
    throw new CallError('execution_failed', message, { retryable: true, reason: 'memory_unavailable' });
  }

  async #secretOf({ namespace, name }: NamespacedName, { auth }: MemorySpec): Promise<string | undefined> {
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
