// Rows of a conversation on screen: turns, notes between them, and turns that a rewind undid, folded. Pure.
import type { Conversation, ConversationNote, ConversationTurn, ToolCallPart, TurnPart } from '@svc/shared/sessions/conversation';

export type Row =
  | { readonly type: 'turn'; readonly key: string; readonly turn: ConversationTurn; readonly ahead: number }
  | { readonly type: 'note'; readonly key: string; readonly note: ConversationNote }
  | { readonly type: 'undone'; readonly key: string; readonly turns: readonly ConversationTurn[] };

/** Each note follows the turn that was the last one at its time. */
export function rowsOf({ turns, notes, active }: Conversation): readonly Row[] {
  const rows: Row[] = [];
  let waiting = active ? 1 : 0;
  let undone: ConversationTurn[] = [];
  const notesOf = new Map<string | undefined, ConversationNote[]>();
  for (const note of notes) {
    const there = notesOf.get(note.afterTurn);
    if (there) there.push(note);
    else notesOf.set(note.afterTurn, [note]);
  }
  const endUndone = () => {
    const [first] = undone;
    if (first) rows.push({ type: 'undone', key: `undone-${first.id}`, turns: undone });
    undone = [];
  };
  const notesAfter = (id: string | undefined) => {
    for (const note of notesOf.get(id) ?? []) {
      endUndone();
      rows.push({ type: 'note', key: `note-${note.seq}`, note });
    }
  };
  notesAfter(undefined);
  for (const turn of turns) {
    if (turn.undone) undone.push(turn);
    else {
      endUndone();
      const waits = turn.activity === 'waiting' && turn !== active;
      rows.push({ type: 'turn', key: turn.id, turn, ahead: waits ? waiting : 0 });
      if (waits) waiting += 1;
    }
    notesAfter(turn.id);
  }
  endUndone();
  return rows;
}

export type PartGroup =
  | { readonly type: 'calls'; readonly key: string; readonly calls: readonly ToolCallPart[] }
  | { readonly type: 'part'; readonly key: string; readonly part: Exclude<TurnPart, ToolCallPart> };

/** Tool calls in succession as one group. */
export function groupParts(parts: readonly TurnPart[]): readonly PartGroup[] {
  const groups: PartGroup[] = [];
  let calls: ToolCallPart[] = [];
  const endCalls = () => {
    const [first] = calls;
    if (first) groups.push({ type: 'calls', key: `calls-${first.requestId}`, calls });
    calls = [];
  };
  for (const [index, part] of parts.entries()) {
    if (part.type === 'tool') calls.push(part);
    else {
      endCalls();
      groups.push({ type: 'part', key: `part-${index}`, part });
    }
  }
  endCalls();
  return groups;
}
