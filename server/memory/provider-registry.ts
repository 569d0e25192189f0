// Providers of Memories by name: a program that embeds the server may register more.
import type { MemoryProvider } from './backend.ts';

export interface MemoryProviders {
  get(name: string): MemoryProvider | undefined;
  readonly names: readonly string[];
  close(): Promise<void>;
}

export function createMemoryProviders(providers: readonly MemoryProvider[]): MemoryProviders {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return {
    get: (name) => byName.get(name),
    names: [...byName.keys()],
    async close() {
      for (const provider of providers) await provider.close?.();
    },
  };
}
