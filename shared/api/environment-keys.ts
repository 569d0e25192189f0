// A provider's key that was found in the environment, as the console sees it: its name, never its value.

export interface KeyOffer {
  /** Such as OPENAI_API_KEY. */
  readonly variable: string;
  readonly title: string;
  readonly provider: string;
  /** Where the key is sent when an agent calls the model. */
  readonly address: string;
  /** Name of the ModelEndpoint that is created. */
  readonly endpoint: string;
  readonly secret: string;
}

export interface AcceptedKey {
  readonly namespace: string;
  readonly endpoint: string;
  readonly secret: string;
}
