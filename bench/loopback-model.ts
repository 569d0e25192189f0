// A model endpoint on a server of this process, and what it answers.

/** Any plain final answer. */
export const COMPLETION = {
  object: 'chat.completion',
  model: 'loopback',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
};

/** The objects that make `name` a model at this address. */
export function loopbackModel(name: string, url: string): object[] {
  const spec = { provider: 'gateway-a', base_url: `${url}/v1`, default_model: name, allowPrivate: true, auth: { secretRef: name } };
  return [
    { kind: 'Secret', metadata: { name }, spec: { stringData: { value: 'not-used' } } },
    { kind: 'ModelEndpoint', metadata: { name }, spec },
  ];
}
