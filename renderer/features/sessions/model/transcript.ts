// A conversation as a Markdown file. Texts of people, models and tools are quotes, so that none of them can pass as a heading. Pure.
import type { Conversation, ConversationTurn, TurnPart } from '@svc/shared/sessions/conversation';
import { refOf, type Session } from './session.ts';

const quoted = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** All turns that are loaded, undone ones marked. */
export function transcriptText(session: Session, { turns }: Pick<Conversation, 'turns'>): string {
  const { namespace, name } = refOf(session);
  const head = [`# Session ${namespace}/${name}`, `System: ${session.spec.system}`, `State: ${session.status.phase}`];
  return `${[...head, ...turns.map(turnText)].join('\n\n')}\n`;
}

function turnText(turn: ConversationTurn, index: number): string {
  const undone = turn.undone ? ', undone by a rewind' : '';
  const parts = [
    `## Turn ${turn.sequence || index + 1}, ${turn.createdAt}, ${turn.phase}${undone}`,
    '**Message**',
    quoted(turn.content),
    ...turn.parts.flatMap(partText),
    ...(turn.text === '' ? [] : [turn.final ? '**Answer**' : '**Answer so far**', quoted(turn.text)]),
    ...(turn.error === undefined ? [] : ['**Error**', quoted(turn.error)]),
  ];
  return parts.join('\n\n');
}

function partText(part: TurnPart): readonly string[] {
  if (part.type === 'tool') {
    const { result } = part;
    const answer = result === undefined ? 'No result yet' : `${result.errorCode ?? 'Result'}${result.truncated ? ', cut' : ''}`;
    return [
      '**Tool call**',
      quoted(`${part.tool} ${JSON.stringify(part.input)}`),
      answer,
      ...(result === undefined ? [] : [quoted(result.output)]),
    ];
  }
  if (part.type === 'approval') {
    const by = part.decidedBy === undefined ? '' : ` by ${part.decidedBy}`;
    return [`**${part.kind} ${part.name}**`, quoted(`${part.decision ?? 'waits for a decision'}${by}`)];
  }
  return [part.type === 'withdrawn' ? '**Withdrawn text**' : '**Notice**', quoted(part.text)];
}
