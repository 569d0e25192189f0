// An embeddings endpoint in the wire format of OpenAI, for tests: texts that share words have near vectors.
import { createHash } from 'node:crypto';
import { json, startLoopbackServer, type LoopbackServer } from './loopback-server.ts';

export interface EmbeddingsServer extends LoopbackServer {
  /** Length of its vectors from now on. */
  dimensions: number;
  /** Status of its answers, in place of vectors; undefined: none. */
  failsWith: number | undefined;
  /** Texts of each request so far. */
  inputs(): string[][];
}

interface EmbeddingsBody {
  readonly model: string;
  readonly input: string[];
}

export async function startEmbeddingsServer(dimensions = 64): Promise<EmbeddingsServer> {
  const state = { dimensions, failsWith: undefined as number | undefined };
  const server = await startLoopbackServer((response, request) => {
    if (state.failsWith !== undefined)
      return json({ error: { message: 'no vectors today', type: 'server_error' } }, state.failsWith)(response, request);
    if (request.method !== 'POST' || request.path !== '/v1/embeddings')
      return json({ error: { message: 'no such path' } }, 404)(response, request);
    const { model, input } = JSON.parse(request.body) as EmbeddingsBody;
    const tokens = input.reduce((sum, text) => sum + wordsOf(text).length, 0);
    json({
      object: 'list',
      data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, state.dimensions) })),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    })(response, request);
  });
  return Object.assign(state, server, { inputs: () => server.seen.map(({ body }) => (JSON.parse(body) as EmbeddingsBody).input) });
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** The words of the text, each at a place that its hash decides. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.001);
  for (const word of wordsOf(text)) {
    const place = createHash('sha256').update(word).digest().readUInt32BE() % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
