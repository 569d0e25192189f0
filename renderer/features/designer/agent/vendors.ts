// Providers of models under the names that people know, and sentences for models that do not answer. Pure.
import { filledText } from '@svc/shared/json';
import { providerFacts } from '@svc/shared/kinds/model-endpoint/providers';
import { valueTitle } from '../../../kinds/field-titles.ts';
import { specOf } from '../../../kinds/read.ts';
import { memberAt } from '../../../yaml/edit-value.ts';
import { draftsOf, specOfDraft, type Drafts } from '../document/drafts.ts';

export interface Vendor {
  readonly provider: string;
  readonly title: string;
  readonly hint: string;
  /** Example of a model's name. */
  readonly example: string;
  readonly needsKey: boolean;
  readonly needsAddress: boolean;
  /** Address that is used where none is written. */
  readonly address: string;
}

const PROVIDERS: readonly (readonly [provider: string, hint: string, example: string])[] = [
  ['gateway-a', 'Chat completions with an API key.', 'gpt-5-mini'],
  ['gateway-b', 'Messages with an API key.', 'claude-sonnet-4-5'],
  ['gateway-c', 'A deployment at your own address.', 'name of the deployment'],
  ['local-runtime', 'Runs on this machine, without a key.', 'llama3.2'],
  ['gateway-a-compatible', 'vLLM, LM Studio, a proxy: any server that speaks this API.', 'name at that server'],
  ['mock', 'Answers without a network, the same each time. For trying things out.', 'mock'],
];

export const VENDORS: readonly Vendor[] = PROVIDERS.map(([provider, hint, example]) => {
  const facts = providerFacts(provider);
  return {
    ...{ provider, title: provider === 'mock' ? 'Mock' : valueTitle(provider), hint, example },
    needsKey: facts?.needsSecret === true,
    // No rule demands an address of a compatible server, yet no call works without one.
    needsAddress: facts?.needsBaseUrl === true || provider === 'gateway-a-compatible',
    address: facts?.baseUrl ?? '',
  };
});

/** `OpenAI gpt-5-mini`. */
export function modelSummary(spec: Readonly<Record<string, unknown>>): string {
  const { provider = '', default_model: model = '' } = specOf('ModelEndpoint', { spec });
  const title = VENDORS.find((each) => each.provider === provider)?.title ?? provider;
  return [title, model].filter(Boolean).join(' ');
}

/** The drafted key of a model, which no Secret holds yet. It stays in memory. */
export function draftedKey(drafts: Drafts, namespace: string, secretRef: string): string | undefined {
  const secret = draftsOf(drafts, 'Secret').find(
    (draft) => `${draft.namespace}/${draft.name}` === (secretRef.includes('/') ? secretRef : `${namespace}/${secretRef}`),
  );
  return filledText(secret && memberAt(specOfDraft(secret), ['stringData', 'value']));
}

const SENTENCES: Readonly<Record<string, string>> = {
  auth_invalid: 'The API key was refused. Check that it is whole and belongs to this provider.',
  auth_forbidden: 'The API key may not use this model. Choose another model or another key.',
  model_not_found: 'The provider has no model of this name. Check the spelling.',
  timeout: 'No answer in time. The provider may be slow, or nothing listens at this address.',
  egress_blocked: 'The server may not connect to this address.',
  rate_limited: 'The provider accepts no further requests for now. Wait a moment, or check the quota of the key.',
  secret_resolution_failed: 'The API key could not be read. Write it again, or choose another Secret.',
  malformed_response: 'Something answered, but not as this provider does. Check the address and the provider.',
  runtime_policy_invalid: 'The model is not complete yet.',
  execution_failed: 'The model did not answer.',
};

/** One plain sentence for a failure code of model calls. */
export function failureSentence(code: string): string {
  return SENTENCES[code] ?? 'The model did not answer.';
}
