// Changes of a task as they come: read again when its run or its Session has written, with the text of the answer as the model says it.
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { Clock } from '../../clock.ts';
import { readSessionEvents } from '../../sessions/follow-events.ts';
import { deletionOf, streamOf, readTurn } from '../../sessions/records.ts';
import { CommitWatch } from '../../store/commit-watch.ts';
import type { CommitNotice, Store, StoredObject } from '../../store/store.ts';
import { isInterrupted, isTerminal, type AgentTask, type Artifact } from '../model.ts';
import type { TaskEvent } from '../rpc/write-task.ts';
import { mayBeJson } from './outcome.ts';
import { keyOf, type TaskRecord } from './records.ts';
import type { FollowTask } from './task-service.ts';
import { deletedTask, OUTPUT, seeLatest, seeTask, type SeenTask } from './view.ts';

export interface FollowDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** Interval of a read that finds changes whose notice was missed. */
const SAFETY_LOOK_MS = 30_000;
/** How long the first frame waits for a run that says nothing yet: one that answers with a message sends nothing but that. */
const FIRST_FRAME_MS = 1_000;
const EVENTS_PAGE = 500;

/** Follows the run of a task: its Session's events, its Task's journal. */
class Growth {
  readonly #watch: CommitWatch;
  /** Uid of the Task; a turn has one once it starts. */
  #journal: string | undefined;
  #isRecorded = true;

  constructor(deps: FollowDeps, { run }: TaskRecord, signal: AbortSignal) {
    const owners = run.kind === 'turn' ? [streamOf(run.session.uid), deletionOf(run.session.uid)] : [];
    this.#journal = run.kind === 'task' ? run.task.uid : undefined;
    const concerns = ({ events, journals }: CommitNotice) => {
      const isRecorded = this.#journal !== undefined && journals.has(this.#journal);
      this.#isRecorded ||= isRecorded;
      return isRecorded || owners.some((owner) => events.has(owner));
    };
    this.#watch = new CommitWatch({ ...deps, signal, concerns, lookMs: SAFETY_LOOK_MS });
    this.#watch.grow();
  }

  read<T>(look: () => Promise<T>): Promise<T> {
    return this.#watch.read(look);
  }

  /** The Task as it was read: commits between that read and this call count as growth. */
  sees(task: StoredObject | undefined): void {
    if (task === undefined || task.uid === this.#journal) return;
    this.#journal = task.uid;
    this.#isRecorded = true;
    this.#watch.grow();
  }

  /** Resolves once something was written since the last call, at the latest after the wait; true when the state of the run may be another. */
  async next(waitMs?: number): Promise<boolean> {
    const isLate = await this.#watch.next(waitMs);
    const mayDiffer = isLate || this.#isRecorded;
    this.#isRecorded = false;
    return mayDiffer;
  }

  close(): void {
    this.#watch.close();
  }
}

async function look({ store }: Pick<FollowDeps, 'store'>, record: TaskRecord): Promise<SeenTask> {
  const latest = (await seeLatest(store, keyOf(record.run))) ?? { record, seen: await seeTask(store, record) };
  return latest.seen ?? { task: deletedTask(latest.record) };
}

/** The task now; one whose run was deleted counts as canceled. */
export const viewTask = async (deps: Pick<FollowDeps, 'store'>, record: TaskRecord): Promise<AgentTask> => (await look(deps, record)).task;

/** The task once it has ended, waits for a person or is paused; its current state when aborted. */
export async function untilSettled(deps: FollowDeps, record: TaskRecord, signal: AbortSignal): Promise<AgentTask> {
  const growth = new Growth(deps, record, signal);
  try {
    for (;;) {
      await growth.next();
      const { task, run, isPaused } = await growth.read(() => look(deps, record));
      growth.sees(run);
      if (isTerminal(task.state) || isInterrupted(task.state) || isPaused || signal.aborted) return task;
    }
  } finally {
    growth.close();
  }
}

export async function* followTask(
  deps: FollowDeps,
  record: TaskRecord,
  { signal, eventsAfter, endsAtQuestion }: FollowTask,
): AsyncGenerator<TaskEvent, void, void> {
  const growth = new Growth(deps, record, signal);
  const holdUntil = eventsAfter === undefined ? 0 : deps.clock.now() + FIRST_FRAME_MS;
  try {
    const text = await openText(deps, record, eventsAfter);
    let shown: AgentTask | undefined;
    let isOver = false;
    while (!signal.aborted && !isOver) {
      const holdMs = holdUntil - deps.clock.now();
      const mayDiffer = await growth.next(shown || holdMs <= 0 ? undefined : holdMs);
      const streamed = await growth.read(() => text.read());
      const { task, run } = streamed.onlyText && shown && !mayDiffer ? { task: shown } : await growth.read(() => look(deps, record));
      growth.sees(run);
      const hasSettled = isTerminal(task.state) || isInterrupted(task.state);
      if (!shown && !hasSettled && streamed.artifacts.length === 0 && deps.clock.now() < holdUntil) continue;
      if (!shown && isTerminal(task.state) && task.reply) return void (yield { kind: 'message', message: task.reply });
      // A reader who comes while a question is open waits for its answer.
      const asksNow = isInterrupted(task.state) && (shown ? differs(shown, task) : eventsAfter !== undefined);
      isOver = isTerminal(task.state) || (endsAtQuestion && asksNow);
      yield* stepsOf(shown, task, {
        streamed: streamed.artifacts,
        rest: isTerminal(task.state) ? text.rest(task.artifacts) : undefined,
        isOver,
      });
      shown = task;
    }
  } finally {
    growth.close();
  }
}

interface Pieces {
  readonly streamed: readonly Piece[];
  readonly rest: Piece | undefined;
  /** These are the last events. */
  readonly isOver: boolean;
}

/** Events from what readers were shown to the task as it is now. */
function* stepsOf(shown: AgentTask | undefined, task: AgentTask, { streamed, rest, isOver }: Pieces): Generator<TaskEvent> {
  const before = shown ?? (isOver || streamed.length > 0 ? beginning(task) : task);
  if (!shown) yield { kind: 'task', task: before };
  for (const piece of [...streamed, ...(rest ? [rest] : [])]) yield { kind: 'artifact', task, ...piece };
  if (differs(before, task)) yield { kind: 'status', task, final: isOver };
}

/** A stream begins with the task before its end, so that the events of the end follow it. */
function beginning(task: AgentTask): AgentTask {
  const { message: _message, reply: _reply, ...rest } = task;
  return { ...rest, state: 'working', artifacts: [] };
}

const differs = (shown: AgentTask, task: AgentTask): boolean =>
  shown.state !== task.state || shown.message?.messageId !== task.message?.messageId;

interface Piece {
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly last: boolean;
}

interface AnswerPieces {
  readonly artifacts: readonly Piece[];
  /** Nothing but text was written: the state is the same. */
  readonly onlyText: boolean;
}

interface AnswerText {
  read(): Promise<AnswerPieces>;
  /** Remaining artifact of a task that has ended. */
  rest(artifacts: readonly Artifact[]): Piece | undefined;
}

const textArtifact = (text: string): Artifact => ({ artifactId: OUTPUT, name: OUTPUT, parts: [{ kind: 'text', text }] });

/** Text of the answer of a turn, from its Session's events. Tasks of their own have none. */
async function openText({ store }: FollowDeps, { run }: TaskRecord, eventsAfter: number | undefined): Promise<AnswerText> {
  if (run.kind === 'task' || eventsAfter === undefined) return noText;
  const turn = await readTurn(store, run.session.uid, run.sequence);
  return new TurnText(store, { session: run.session, turnId: turn?.id ?? '', after: eventsAfter });
}

const whole = (artifact: Artifact | undefined): Piece | undefined => artifact && { artifact, append: false, last: true };

const noText: AnswerText = {
  read: () => Promise.resolve({ artifacts: [], onlyText: false }),
  rest: ([artifact]) => whole(artifact),
};

type TurnRun = Extract<TaskRecord['run'], { readonly kind: 'turn' }>;

class TurnText implements AnswerText {
  readonly #store: Store;
  readonly #session: TurnRun['session'];
  readonly #turnId: string;
  #cursor: number;
  /** Text that was sent. */
  #sent = '';
  /** The answer behind it; all of the answer after a text was withdrawn. Texts are not compared as a whole: a read may be one word of a long answer. */
  #waiting = '';
  #isWithdrawn = false;
  /** The beginning of the answer, up to its first word. */
  #start = '';

  constructor(store: Store, { session, turnId, after }: { session: TurnRun['session']; turnId: string; after: number }) {
    this.#store = store;
    this.#session = session;
    this.#turnId = turnId;
    this.#cursor = after;
  }

  async read(): Promise<AnswerPieces> {
    let onlyText = true;
    let any = false;
    for (;;) {
      const { items, more } = await readSessionEvents(this.#store, this.#session, { after: this.#cursor, limit: EVENTS_PAGE });
      this.#cursor = items.at(-1)?.seq ?? this.#cursor;
      for (const event of items) {
        any = true;
        if (!this.#add(event)) onlyText = false;
      }
      if (!more) break;
    }
    const piece = this.#piece();
    return { artifacts: piece ? [piece] : [], onlyText: any && onlyText };
  }

  /** False for an event that is not text. */
  #add({ type, turn_id, payload }: SessionEvent): boolean {
    if (type !== 'message.delta' && type !== 'message.reset') return false;
    if (turn_id !== this.#turnId) return true;
    if (type === 'message.reset') {
      [this.#waiting, this.#start] = ['', ''];
      this.#isWithdrawn = this.#sent !== '';
      return true;
    }
    const delta = String(payload['delta']);
    if (this.#start.trim() === '') this.#start += delta;
    this.#waiting += delta;
    return true;
  }

  /** Possible JSON is held until the end. The next text replaces withdrawn text. */
  #piece(): Piece | undefined {
    if ((this.#sent === '' || this.#isWithdrawn) && mayBeJson(this.#start)) return undefined;
    if (this.#isWithdrawn && this.#waiting.startsWith(this.#sent)) {
      this.#waiting = this.#waiting.slice(this.#sent.length);
      this.#isWithdrawn = false;
    }
    if (this.#waiting === '') return undefined;
    const append = this.#sent !== '' && !this.#isWithdrawn;
    const piece = { artifact: textArtifact(this.#waiting), append, last: false };
    this.#sent = append ? this.#sent + this.#waiting : this.#waiting;
    [this.#waiting, this.#isWithdrawn] = ['', false];
    return piece;
  }

  rest([artifact]: readonly Artifact[]): Piece | undefined {
    const [part] = artifact?.parts ?? [];
    if (part?.kind === 'text' && artifact?.parts.length === 1 && this.#sent !== '' && part.text.startsWith(this.#sent)) {
      const left = part.text.slice(this.#sent.length);
      return left === '' ? undefined : { artifact: textArtifact(left), append: true, last: true };
    }
    return whole(artifact);
  }
}
