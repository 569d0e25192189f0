// Providers of a program that embeds the server, beside the built-in ones.
import type { MemoryProvider } from '../memory/backend.ts';
import type { ModelProvider } from '../models/provider.ts';

/** A provider with a built-in name replaces the built-in one. */
export interface OwnProviders {
  /** For runs, trials and embeddings alike. */
  readonly models?: readonly ModelProvider[] | undefined;
  readonly memories?: readonly MemoryProvider[] | undefined;
}
