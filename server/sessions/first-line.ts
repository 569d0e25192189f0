// The beginning of a message, by which people tell conversations apart in a list.
import { textStart } from '@svc/shared/text-start';

/** Code points of a line at most, so that a row of a table holds it. */
const LINE_MAX = 80;
/** Code units that are looked through: a message has up to 256 KiB. */
const SEARCHED_MAX = 4_096;

/** The first line that is not blank, cut with an ellipsis; undefined where there is none. */
export function firstLine(content: string): string | undefined {
  const [line = ''] = textStart(content, SEARCHED_MAX)
    .trimStart()
    .split(/[\n\r\u2028\u2029]/u, 1);
  const points = [...line.trimEnd()];
  if (points.length === 0) return undefined;
  return points.length > LINE_MAX ? `${points.slice(0, LINE_MAX - 1).join('')}…` : points.join('');
}
