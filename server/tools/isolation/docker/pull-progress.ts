// Sums up what an engine says while it pulls an image: layers and bytes. Pure.
import { isObject, type JsonObject } from '@svc/shared/json';

/** States of a layer, as the engine's API names them. */
const DOWNLOADING = 'Downloading';
const DONE: ReadonlySet<unknown> = new Set(['Pull complete', 'Already exists']);
const KNOWN: ReadonlySet<unknown> = new Set(['Pulling fs layer', 'Waiting']);
const DOWNLOADED: ReadonlySet<unknown> = new Set(['Download complete', 'Verifying Checksum', 'Extracting']);

interface Layer {
  readonly current: number;
  readonly total: number;
  readonly done: boolean;
}

export class PullProgress {
  readonly #layers = new Map<string, Layer>();

  /** One object of the engine's progress stream. */
  add(event: unknown): void {
    if (!isObject(event) || typeof event['id'] !== 'string') return;
    const { id, status } = event;
    const layer = this.#layers.get(id) ?? { current: 0, total: 0, done: false };
    const detail = isObject(event['progressDetail']) ? event['progressDetail'] : {};
    const [current, total] = [detail['current'], detail['total']];
    if (status === DOWNLOADING && typeof current === 'number' && typeof total === 'number') {
      this.#layers.set(id, { ...layer, current, total });
    } else if (KNOWN.has(status)) {
      this.#layers.set(id, layer);
    } else if (DONE.has(status) || DOWNLOADED.has(status)) {
      this.#layers.set(id, { ...layer, current: layer.total, done: layer.done || DONE.has(status) });
    }
  }

  /** Summary of a successful pull. Podman reports no layer as pulled. */
  finish(): JsonObject {
    for (const [id, layer] of this.#layers) this.#layers.set(id, { ...layer, current: layer.total, done: true });
    return this.summary();
  }

  summary(): JsonObject {
    const layers = [...this.#layers.values()];
    const sum = (of: (layer: Layer) => number) => layers.reduce((all, layer) => all + of(layer), 0);
    return {
      layers_total: layers.length,
      layers_done: layers.filter(({ done }) => done).length,
      bytes_done: sum(({ current }) => current),
      bytes_total: sum(({ total }) => total),
    };
  }
}
