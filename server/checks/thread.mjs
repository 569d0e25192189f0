// The program of every check thread: loads one module and answers each message with what its `answer` returns.
// Plain JavaScript, because threads load it from the sources and from the build output alike.
import { parentPort, workerData } from 'node:worker_threads';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** Sources are TypeScript, which this Node does not read by itself. */
if (workerData.program.endsWith('.ts')) {
  const { register } = await import('tsx/esm/api');
  register();
}
const { answer, end } = await import(workerData.program);

port.on('message', (job) => {
  if (job === null) {
    end?.();
    process.exit();
  }
  try {
    port.postMessage({ result: answer(job) });
  } catch (error) {
    port.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
port.postMessage('ready');
