// Output of a process as lines, up to its end. A line that grows past its bound is cut, so that a process without line ends takes no memory.
import { StringDecoder } from 'node:string_decoder';

const LINE_MAX = 16_000;
/** Time for the last output of a process that has exited; a process of its own may hold the pipe open. */
const LAST_OUTPUT_MS = 250;

export interface Output {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
}

/** Calls `onLine` for each line that is not empty, the last one included that a process left without an end. */
function splitLines(output: Output, onLine: (line: string) => void): void {
  // A character may be cut in two by the chunks.
  const decoder = new StringDecoder('utf8');
  let rest = '';
  output.on('data', (chunk) => {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_MAX);
    for (const line of lines) if (line !== '') onLine(line.slice(0, LINE_MAX));
  });
  output.once('end', () => rest !== '' && onLine(rest));
}

/** Reads lines of both outputs. Returns what resolves once they have ended; to be called when the process has exited. */
export function readOutputs(outputs: readonly (Output | null)[], onLine: (line: string) => void): () => Promise<void> {
  for (const output of outputs) if (output) splitLines(output, onLine);
  return awaitOutputs(outputs);
}

/** Returns a wait for the last output, to be called when the process has exited. */
export function awaitOutputs(outputs: readonly (Output | null)[]): () => Promise<void> {
  const ended = outputs.map(
    (output) =>
      new Promise<void>((resolve) => {
        if (output === null) return resolve();
        output.once('end', resolve);
        output.once('close', resolve);
      }),
  );
  return async () => {
    let late: NodeJS.Timeout | undefined;
    await Promise.race([Promise.all(ended), new Promise((resolve) => (late = setTimeout(resolve, LAST_OUTPUT_MS)))]);
    clearTimeout(late);
  };
}
