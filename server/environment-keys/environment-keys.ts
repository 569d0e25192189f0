// Keys of providers in the environment: offered by name to admins, and after a confirmation stored as a Secret with a ModelEndpoint. A value leaves
// this file for the Secret alone.
import type { AcceptedKey, KeyOffer } from '@svc/shared/api/environment-keys';
import { PROVIDER_KEY_MAX, providerKey, type ProviderKey } from '@svc/shared/environment-keys';
import { ServiceError } from '@svc/shared/errors';
import { providerFacts } from '@svc/shared/kinds/model-endpoint/providers';
import { API_VERSION } from '@svc/shared/resource';
import { requireRole } from '../registry/authorise.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { EnvironmentKeySource } from './source.ts';

interface AcceptKey {
  readonly variable: string;
  readonly namespace: string;
  /** Default model of the endpoint. */
  readonly model?: string | undefined;
}

export interface EnvironmentKeys {
  /** Needs the role admin. Empty where this server offers none. */
  list(context: RequestContext): KeyOffer[];
  /** Needs the role admin. Rejects with `not_found` for a variable that is not offered, `conflict` where one of the two objects exists. */
  accept(context: RequestContext, request: AcceptKey): Promise<AcceptedKey>;
}

const KEY_IN_SECRET = 'api-key';

function offerOf(key: ProviderKey): KeyOffer {
  const { variable, title, provider, baseUrl, name } = key;
  return { variable, title, provider, address: baseUrl ?? providerFacts(provider)?.baseUrl ?? '', endpoint: name, secret: `${name}-key` };
}

function documentsOf(key: ProviderKey, { namespace, model }: AcceptKey, value: string) {
  const { provider, baseUrl } = key;
  const { endpoint, secret } = offerOf(key);
  const metadata = (name: string) => ({ name, namespace });
  const spec = {
    provider,
    auth: { secretRef: secret },
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(model !== undefined && { default_model: model }),
  };
  return [
    { apiVersion: API_VERSION, kind: 'Secret', metadata: metadata(secret), spec: { stringData: { [KEY_IN_SECRET]: value } } },
    { apiVersion: API_VERSION, kind: 'ModelEndpoint', metadata: metadata(endpoint), spec },
  ];
}

export function createEnvironmentKeys(deps: {
  readonly registry: Pick<Registry, 'apply'>;
  readonly source: EnvironmentKeySource;
}): EnvironmentKeys {
  const { registry, source } = deps;
  const offered = (): ProviderKey[] => source.names().flatMap((variable) => providerKey(variable) ?? []);
  return {
    list(context) {
      requireRole(context, 'admin', 'reading which keys the environment has');
      return offered().map(offerOf);
    },
    async accept(context, request) {
      requireRole(context, 'admin', 'taking over a key of the environment');
      const key = offered().find(({ variable }) => variable === request.variable);
      const value = key && (await source.read(key.variable));
      if (key === undefined || value === undefined || value === '')
        throw new ServiceError('not_found', `The environment has no key ${request.variable} to take over; enter the key by hand`);
      if (value.length > PROVIDER_KEY_MAX || /[\r\n\0]/.test(value))
        throw new ServiceError('invalid', `The variable ${key.variable} holds no key: it is too long, or has several lines`);
      const { endpoint, secret } = offerOf(key);
      const { namespace } = request;
      const preconditions = [{ mustNotExist: true } as const, { mustNotExist: true } as const];
      await registry.apply(context, documentsOf(key, request, value), { namespace, fieldValidation: 'Strict', preconditions });
      return { namespace, endpoint, secret };
    },
  };
}
