// How a run changes with what is recorded of its reviews: an output is frozen, waits for a person, and goes on, ends or is worked on again.
import type { EntryOf } from './entries.ts';
import type { AttemptState, RunState } from './state.ts';

export function requestReview(_state: RunState, _attempt: AttemptState, _entry: EntryOf<'review.requested'>): void {}

export function resolveReview(_state: RunState, _attempt: AttemptState, _entry: EntryOf<'review.resolved'>): void {}
