// Recorded messages for the agent that a trial runs alone: they take the place of the message that starts it.
import type { AttemptState, Message } from './state.ts';

export function receive(attempt: AttemptState): void {
  const received = attempt.snapshot.task.trial?.received;
  if (!received) return;
  for (const [id, turn] of attempt.turns) {
    const [first] = turn.inbox;
    if (!first) continue;
    const inbox = received.messages.map((message, index): Message => ({ ...first, id: index === 0 ? id : `${id}-${index}`, ...message }));
    attempt.turns.set(id, { ...turn, inbox: inbox.length > 0 ? inbox : turn.inbox, failedSources: received.failedSources });
  }
}
