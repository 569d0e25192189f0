// The one EmbeddingsPort: splits many texts into requests of a size every provider takes, and adds up what they cost.
import { CallError, type EmbeddingsPort, type EmbeddingsRequest, type EmbeddingsResponse, type TokenUsage } from '../engine/ports.ts';
import { builtInProviders } from './built-in-providers.ts';
import type { ModelHttpDeps } from './model-http.ts';
import { priced, readPrices } from './prices.ts';
import { endpointTitle, type EmbeddingsCall } from './provider.ts';
import type { ProviderRegistry } from './provider-registry.ts';

/** Texts in one request: at the longest vectors known, an answer stays within a third of its size limit. */
const BATCH_MAX = 64;

/** `providers` are those of this server unless it is given others. */
export function createEmbeddingsPort(deps: ModelHttpDeps, providers: ProviderRegistry = builtInProviders(deps)): EmbeddingsPort {
  return {
    async embed(endpoint, request, { signal }) {
      const embed = providers.embed(endpoint);
      const prices = readPrices(endpoint);
      const call = { endpoint, request, signal };
      checkInputs(call);
      const answers: EmbeddingsResponse[] = [];
      for (const batch of batches(request)) {
        const answer = await embed({ ...call, request: batch });
        checkLength(call, { answer, first: answers[0] });
        answers.push(answer);
      }
      const usage = sumOf(answers.map((answer) => answer.usage));
      const model = answers.at(-1)?.model ?? endpoint.spec.default_model ?? '';
      return { vectors: answers.flatMap(({ vectors }) => vectors), usage, model, ...(prices && priced(prices, usage)) };
    },
  };
}

/** Providers refuse the whole request for one empty text, and do not name it. */
function checkInputs({ endpoint, request }: EmbeddingsCall): void {
  const empty = request.inputs.indexOf('');
  if (empty === -1) return;
  throw new CallError('invalid_input', `${endpointTitle(endpoint)} was given an empty text to embed (number ${empty + 1})`, {
    retryable: false,
  });
}

/** Each request of a call has an idempotency key of its own. */
function batches(request: EmbeddingsRequest): EmbeddingsRequest[] {
  const count = Math.ceil(request.inputs.length / BATCH_MAX);
  return Array.from({ length: count }, (_, index) => ({
    ...request,
    requestId: count === 1 ? request.requestId : `${request.requestId}-${index + 1}`,
    inputs: request.inputs.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX),
  }));
}

/** Vectors of different lengths cannot be compared, so they are found out here and not in a search. */
function checkLength(call: EmbeddingsCall, { answer, first }: { answer: EmbeddingsResponse; first: EmbeddingsResponse | undefined }): void {
  const length = answer.vectors[0]?.length ?? 0;
  const wanted = call.request.dimensions ?? first?.vectors[0]?.length ?? length;
  if (length === wanted) return;
  const message = `${endpointTitle(call.endpoint)} sent embeddings of ${length} dimensions where ${wanted} were requested`;
  throw new CallError('malformed_response', message, { retryable: false, reason: 'wrong_dimensions' });
}

function sumOf(usages: readonly TokenUsage[]): TokenUsage {
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: 0,
    source: usages.every(({ source }) => source === 'provider') ? 'provider' : 'estimated',
  };
}
