// Checkpoints of a Session as its panel shows them. Pure.
import type { Aligned, Checkpoint, SafePoint } from '@svc/shared/api/sessions';
import type { Conversation, ConversationTurn } from '@svc/shared/sessions/conversation';

export const SAFE_POINT_TEXTS: Readonly<Record<SafePoint, string>> = {
  'step.completed': 'After a step',
  'agent.completed': 'After an agent',
  'turn.completed': 'After the turn',
};

/** Checkpoints of one turn, newest first. */
export interface TurnCheckpoints {
  readonly turnId: string;
  /** Undefined while the turn has not been read. */
  readonly turn: ConversationTurn | undefined;
  readonly checkpoints: readonly Checkpoint[];
}

/** In the order of the list, which is newest first. */
export function byTurn(checkpoints: readonly Checkpoint[], turns: readonly ConversationTurn[]): TurnCheckpoints[] {
  const known = new Map(turns.map((turn) => [turn.id, turn]));
  const groups = new Map<string, Checkpoint[]>();
  for (const checkpoint of checkpoints) groups.set(checkpoint.turn_id, [...(groups.get(checkpoint.turn_id) ?? []), checkpoint]);
  return [...groups].map(([turnId, own]) => ({ turnId, turn: known.get(turnId), checkpoints: own }));
}

const HASH_CHARS = 8;
export const shortHash = (hash: string): string => hash.slice(0, HASH_CHARS);

/** `checkpoint 12 · turn 4 · after the turn`. */
export function checkpointName(checkpoint: Checkpoint, turn: ConversationTurn | undefined): string {
  const where = turn === undefined ? '' : `turn ${turn.sequence}, `;
  return `${where}${SAFE_POINT_TEXTS[checkpoint.safe_point].toLowerCase()} (${shortHash(checkpoint.state_hash)})`;
}

const turnsAre = (turns: readonly ConversationTurn[], verb: string, verbs = verb): string =>
  turns.length === 1 ? `1 turn ${verb}` : `${turns.length} turns ${verbs}`;

/** Definitions of a turn that continues from a checkpoint inside of it. */
const KEPT = 'It keeps the models and prompts with which it began';

/** Result of a fork in a few sentences. */
export function forkText({ safe_point: safePoint }: Checkpoint, title: string): string {
  const what = `A new Session with the conversation up to ${title}. It needs nothing of this one.`;
  return safePoint === 'turn.completed' ? what : `${what} The turn of the checkpoint continues. ${KEPT}, unless others are set below.`;
}

/** Result of a rewind in a few sentences. */
export function rewindText({ turn_id: turnId, safe_point: safePoint }: Checkpoint, conversation: Conversation): string {
  const effects = 'What tools did outside stays as it is.';
  const turn = conversation.turn(turnId);
  if (turn?.order === undefined) return `Every turn after this checkpoint is undone; a current one is interrupted. ${effects}`;
  const { undone, restored } = conversation.rewindEffect(turn, safePoint);
  const sentences = [
    undone.length > 0 && `${turnsAre(undone, 'is undone', 'are undone')}.`,
    undone.some(({ activity }) => activity !== 'over') && 'The current turn is interrupted.',
    restored.length > 0 && `${turnsAre(restored, 'that was undone returns', 'that were undone return')}.`,
    undone.length + restored.length === 0 && 'Nothing follows this checkpoint.',
    safePoint !== 'turn.completed' &&
      `The turn of this checkpoint continues from here as a new turn; recorded tool calls are not repeated. ${KEPT}: send its message again to use changed ones.`,
    undone.length + restored.length > 0 && effects,
  ];
  return sentences.filter((sentence) => typeof sentence === 'string').join(' ');
}

/** Sentence about parts of a comparison that were left out; undefined when it is whole. */
export function cutText({ cut }: Pick<Aligned<unknown>, 'cut'>): string | undefined {
  const sides = [cut.shared && 'the shared part', cut.left && 'the left side', cut.right && 'the right side'].filter(
    (side) => typeof side === 'string',
  );
  return sides.length === 0 ? undefined : `Long lists are cut: of ${sides.join(' and ')} only the items next to the difference are shown.`;
}

export interface ForkDraft {
  readonly name: string;
  readonly resume: boolean;
  readonly models: Readonly<Record<string, string>>;
  readonly prompts: Readonly<Record<string, string>>;
}

const given = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));

/** Blank overrides are left out. */
export function forkRequest({ name, resume, models, prompts }: ForkDraft) {
  const [model, prompt] = [given(models), given(prompts)];
  const overrides = { ...(Object.keys(model).length > 0 && { model }), ...(Object.keys(prompt).length > 0 && { prompt }) };
  return { name: name.trim(), resume, ...(Object.keys(overrides).length > 0 && { overrides }) };
}
