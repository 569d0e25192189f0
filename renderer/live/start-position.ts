// Where the first stream of changes of a tab starts: at the position of the server's first answer, after which everything else is read.
let position: string | undefined;
let isKnown = false;

/** Takes the position of the first answer only: data may have been read before a later one. */
export function learnPosition(ofAnswer: string | undefined): void {
  if (!isKnown) position = ofAnswer;
  isKnown = true;
}

/** For the first stream. Another one, as of another namespace, does not bring the changes of what the tab has read for the first. */
export function takePosition(): string | undefined {
  const taken = position;
  position = undefined;
  return taken;
}
