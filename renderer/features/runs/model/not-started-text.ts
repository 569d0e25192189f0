// Title of an error of a request that starts a run. Sending it again is safe: it is known by a key or by the name of the run.
import { isUnanswered } from '../../../live/problem.ts';

export function notStartedText(error: unknown, noun = 'run'): string {
  return isUnanswered(error)
    ? `Whether the ${noun} was started is not known: try again, it is started only once`
    : `The ${noun} could not be started`;
}
