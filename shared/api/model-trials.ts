// Answer to the trial of a model, as the console's procedure gives it.

interface AnsweredTrial {
  readonly ok: true;
  readonly content: string;
  /** Whether the content was cut. */
  readonly truncated: boolean;
  /** The model that answered, as its provider names it. */
  readonly model: string;
  readonly finishReason: string;
  readonly latencyMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent when the price is not known. */
  readonly costUsd?: number;
}

interface UnansweredTrial {
  readonly ok: false;
  /** Failure code of model calls (docs/models.md "Errors"). */
  readonly code: string;
  readonly reason?: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly latencyMs: number;
}

export type ModelTrialAnswer = AnsweredTrial | UnansweredTrial;
