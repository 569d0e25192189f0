// Events of a Session as lines and text of a conversation. Where they go is the sink's to say.
import type { SessionEvent, SessionEventType } from '@svc/shared/api/sessions';
import { isObject } from '@svc/shared/json';
import type { Style } from '../output/style.ts';
import { oneLine } from '../output/text-width.ts';
import { elapsed } from '../output/time.ts';

/** Receiver of a conversation. */
export interface TranscriptSink {
  readonly lines: (...lines: readonly string[]) => void;
  /** Passing remark, replaced by whatever comes next. */
  readonly status: (text: string) => void;
  /** Piece of an answer that may be withdrawn. */
  readonly text: (delta: string) => void;
  readonly takeBack: () => void;
  /** The final answer, whether or not its pieces were received. */
  readonly answer: (content: string) => void;
  /** Nothing follows for now: what is shown stays. */
  readonly end: () => void;
}

export interface TranscriptOptions {
  readonly sink: TranscriptSink;
  readonly style: Style;
  /** Width of the terminal. */
  readonly columns?: number | undefined;
  /** Whether the person who reads has written this turn's message. */
  readonly isOwn: (turnId: string | undefined) => boolean;
}

type Payload = SessionEvent['payload'];
/** Characters of a line where no terminal bounds it. */
const WIDTH_MAX = 2_000;

const word = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
const joined = (separator: string, ...parts: readonly unknown[]): string =>
  parts
    .map(word)
    .filter((part) => part !== '')
    .join(separator);

/** `to="ann" count=2`. */
function argumentsText(input: unknown): string {
  if (!isObject(input)) return word(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(' ');
}

type Tone = 'good' | 'bad' | 'warn' | 'accent' | 'dim';
type Line = (payload: Payload) => readonly [tone: Tone, glyph: string, text: string];

function toolOutcome({ tool, latency_ms: latency, error_code: code, output }: Payload): ReturnType<Line> {
  const title = joined(' ', tool, typeof latency === 'number' ? elapsed(latency) : '');
  return code === undefined ? ['good', '✓', joined(' → ', title, output)] : ['bad', '✗', joined(': ', title, code, output)];
}

/** Line of each event that is shown as one. */
const LINES: Readonly<Partial<Record<SessionEventType, Line>>> = {
  'turn.retrying': ({ reason }) => ['warn', '↻', joined(': ', 'retrying', reason)],
  'turn.failed': ({ error, code }) => ['bad', '✗', joined(': ', 'the turn failed', code, error)],
  'turn.cancelled': ({ reason }) => ['warn', '✗', joined(': ', 'the turn was cancelled', reason)],
  'tool.started': ({ agent, tool, input }) => ['accent', '⚙', joined(': ', agent, joined(' ', tool, argumentsText(input)))],
  'tool.completed': toolOutcome,
  'approval.requested': ({ name, reason }) => ['warn', '⏸', joined(': ', `waits for approval ${word(name)}`, reason)],
  'approval.resolved': ({ decision, decided_by: by }) => ['accent', '⏵', joined(' by ', decision, by)],
  'session.paused': ({ reason }) => ['warn', '⏸', joined(': ', 'the Session is paused', reason)],
  'session.resumed': () => ['dim', '⏵', 'the Session continues'],
  'session.cancelled': ({ reason }) => ['warn', '✗', joined(': ', 'the Session was cancelled', reason)],
  'session.completed': ({ reason }) => ['dim', '✓', joined(': ', 'the Session is completed', reason)],
  'session.expired': ({ reason }) => ['warn', '✗', joined(': ', 'the Session has expired', reason)],
  'session.recovered': () => ['dim', '↻', 'another worker continues from the last checkpoint'],
  'session.rewound': ({ checkpoint_id: id }) => ['warn', '↶', joined(' ', 'the Session was rewound to', id)],
  error: ({ message }) => ['bad', '✗', word(message)],
};

/** A line per event, or text; an event of a later version shows nothing. */
export function createTranscript({ sink, style, columns = WIDTH_MAX, isOwn }: TranscriptOptions): (event: SessionEvent) => void {
  return ({ type, payload, turn_id: turn }) => {
    const line = LINES[type]?.(payload);
    if (line) sink.lines(`${style[line[0]](line[1])} ${oneLine(line[2], columns - 2)}`);
    if (type === 'message.created' && !isOwn(turn)) sink.lines(`${style.accent('›')} ${word(payload['content'])}`);
    else if (type === 'message.delta') sink.text(word(payload['delta']));
    else if (type === 'message.reset') sink.takeBack();
    else if (type === 'message.completed') sink.answer(word(payload['content']));
    else if (type === 'turn.queued') sink.status('waiting for its turn');
    else if (type === 'turn.started' || type === 'tool.completed' || type === 'approval.resolved') sink.status('thinking');
  };
}
