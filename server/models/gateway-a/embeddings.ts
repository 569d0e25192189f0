// The embeddings operation of the servers that speak chat completions. One request; splitting many texts is the port's business.
import { estimateTokens } from '@svc/shared/token-estimate';
import { isObject } from '@svc/shared/json';
import { readText } from '../../egress/response.ts';
import type { EmbeddingsRequest, EmbeddingsResponse, TokenUsage } from '../../engine/ports.ts';
import { answeredBy, tokenCount } from '../answer-parts.ts';
import { endpointToken } from '../credentials.ts';
import { modelName, postModel, type ModelAnswer, type ModelHttpDeps } from '../model-http.ts';
import { integerOption, textOption } from '../options.ts';
import { parseJson } from '../parse-json.ts';
import type { EmbeddingsCall, ModelProvider } from '../provider.ts';
import { malformed, notJson, throwErrorIn } from '../provider-errors.ts';
import { TOKENS_MAX } from '../usage.ts';
import type { CompletionsWire } from './wire.ts';

/** Values of an answer: the numbers of all vectors. Lists of numbers parse fast. */
const NUMBERS_MAX = 2_000_000;
/** Length of a vector, several times that of the largest models: a memory writes and compares each as a whole. */
const DIMENSIONS_MAX = 16_000;

export function createEmbedder(deps: ModelHttpDeps, wire: CompletionsWire): NonNullable<ModelProvider['embed']> {
  return async (call) => {
    const { endpoint } = call;
    const url = wire.url(endpoint, '/embeddings');
    const body = embeddingsBody(call);
    return postModel(deps, call, {
      prepare: async () => {
        const token = await endpointToken({ secrets: deps.secrets, endpoint, required: wire.secretRequired });
        return {
          url,
          headers: { accept: 'application/json', ...wire.headers(endpoint) },
          credentials: token === undefined ? {} : wire.credentials(endpoint, token),
          secrets: token === undefined ? [] : [token],
          body,
        };
      },
      read: (answer) => readAnswer(answer, { request: call.request, model: modelName(endpoint) }),
    });
  };
}

function embeddingsBody({ endpoint, request }: EmbeddingsCall): Record<string, unknown> {
  const dimensions = request.dimensions ?? integerOption(endpoint, 'dimensions');
  const user = textOption(endpoint, 'user');
  return {
    model: modelName(endpoint),
    input: request.inputs,
    encoding_format: 'float',
    ...(dimensions !== undefined && { dimensions }),
    ...(user !== undefined && { user }),
  };
}

interface Asked {
  readonly request: EmbeddingsRequest;
  readonly model: string;
}

async function readAnswer({ response, limit }: ModelAnswer, { request, model }: Asked): Promise<EmbeddingsResponse> {
  const body = parseJson(await readText(response, limit), NUMBERS_MAX);
  if (!body) throw notJson(limit.what);
  throwErrorIn(body, limit.what);
  return {
    vectors: readVectors(body['data'], { count: request.inputs.length, what: limit.what }),
    usage: readUsage(body['usage']) ?? estimated(request),
    model: answeredBy(body['model'], model),
  };
}

/** In the order of the inputs, whatever order they came in. */
function readVectors(data: unknown, { count, what }: { count: number; what: string }): number[][] {
  if (!Array.isArray(data) || data.length !== count) throw malformed(what, `something else than ${count} embeddings`);
  const vectors = new Map<number, number[]>();
  data.forEach((item: unknown, position) => {
    if (!isObject(item) || !isVector(item['embedding'])) throw malformed(what, 'an embedding that is not a list of numbers');
    vectors.set(tokenCount(item['index']) ?? position, item['embedding']);
  });
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index) ?? []);
  const length = ordered[0]?.length ?? 0;
  if (ordered.some((vector) => vector.length === 0 || vector.length !== length)) {
    throw malformed(what, 'embeddings of different lengths or of the wrong inputs');
  }
  if (length > DIMENSIONS_MAX) throw malformed(what, `embeddings of ${length} dimensions, and at most ${DIMENSIONS_MAX} are taken`);
  return ordered;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number' && Number.isFinite(number));
}

function readUsage(usage: unknown): TokenUsage | undefined {
  const inputTokens = isObject(usage) ? (tokenCount(usage['prompt_tokens']) ?? tokenCount(usage['total_tokens'])) : undefined;
  return inputTokens === undefined || inputTokens > TOKENS_MAX ? undefined : { inputTokens, outputTokens: 0, source: 'provider' };
}

function estimated({ inputs }: EmbeddingsRequest): TokenUsage {
  return { inputTokens: inputs.reduce((sum, text) => sum + estimateTokens(text), 0), outputTokens: 0, source: 'estimated' };
}
