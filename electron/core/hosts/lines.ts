// Output of a process as lines. A line that grows past its bound is cut, so that a process without line ends takes no memory.

const LINE_MAX = 16_000;

/** Returns a sink of chunks that calls `onLine` for each whole line. */
export function splitLines(onLine: (line: string) => void): (chunk: Buffer | string) => void {
  let rest = '';
  return (chunk) => {
    const lines = `${rest}${chunk.toString()}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_MAX);
    for (const line of lines) if (line !== '') onLine(line.slice(0, LINE_MAX));
  };
}
