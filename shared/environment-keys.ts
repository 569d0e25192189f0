// Variables of the environment in which people keep keys of model providers, and what becomes of each once a person says yes. Pure, without zod.

export interface ProviderKey {
  readonly variable: string;
  /** Display name of the provider. */
  readonly title: string;
  /** Provider of the ModelEndpoint. */
  readonly provider: string;
  /** Absent: the provider's standard address. */
  readonly baseUrl?: string;
  /** Name of the ModelEndpoint; the Secret is `<name>-key`. */
  readonly name: string;
}

const compatible = (variable: string, title: string, baseUrl: string): ProviderKey => ({
  variable,
  title,
  provider: 'gateway-a-compatible',
  baseUrl,
  name: title.toLowerCase(),
});

export const PROVIDER_KEYS: readonly ProviderKey[] = [
  { variable: 'OPENAI_API_KEY', title: 'OpenAI', provider: 'gateway-a', name: 'openai' },
  { variable: 'ANTHROPIC_API_KEY', title: 'Anthropic', provider: 'gateway-b', name: 'anthropic' },
  compatible('GEMINI_API_KEY', 'Gemini', 'https://generativelanguage.googleapis.com/v1beta/openai'),
  compatible('MISTRAL_API_KEY', 'Mistral', 'https://api.mistral.ai/v1'),
  compatible('GROQ_API_KEY', 'Groq', 'https://api.groq.com/openai/v1'),
  compatible('DEEPSEEK_API_KEY', 'DeepSeek', 'https://api.deepseek.com/v1'),
  compatible('OPENROUTER_API_KEY', 'OpenRouter', 'https://openrouter.ai/api/v1'),
  compatible('XAI_API_KEY', 'xAI', 'https://api.x.ai/v1'),
  compatible('TOGETHER_API_KEY', 'Together', 'https://api.together.xyz/v1'),
];

export const PROVIDER_VARIABLES: readonly string[] = PROVIDER_KEYS.map(({ variable }) => variable);

/** Longest value that counts as a key. */
export const PROVIDER_KEY_MAX = 8 * 1024;

export const providerKey = (variable: string): ProviderKey | undefined => PROVIDER_KEYS.find((key) => key.variable === variable);

/** Names of the variables that are set, in the order of the table. */
export const providerVariablesIn = (env: Readonly<Record<string, string | undefined>>): string[] =>
  PROVIDER_VARIABLES.filter((variable) => env[variable]?.trim());
