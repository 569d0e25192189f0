// Cost of a process: cold start to readyz, idle memory and idle CPU of a svcd with its embedded worker.
import { startServerProcess } from '../server/testing/server-process.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { percentile, type Row } from './row.ts';

const STARTS = 7;
/** After a start the runtime tidies its heap for a while; idle begins after that. */
const SETTLE_S = 30;
const IDLE_S = 20;

export async function benchProcess(): Promise<Row[]> {
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const server = await startServerProcess();
    starts.push(server.readyMs);
    await server.dispose();
  }
  const server = await startServerProcess();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_S * 1000));
  const before = cpuMs(server.pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_S * 1000));
  const idleCpu = ((cpuMs(server.pid) - before) / (IDLE_S * 1000)) * 100;
  const memory = residentMb(server.pid);
  await server.dispose();
  return [
    {
      name: 'cold start to readyz, median',
      value: percentile(starts, 50),
      unit: 'ms',
      note: `worst of ${STARTS}: ${Math.max(...starts).toFixed(0)} ms`,
    },
    { name: 'idle memory (RSS)', value: memory, unit: 'MB' },
    { name: 'idle CPU', value: idleCpu, unit: '%', note: `over ${IDLE_S} s` },
  ];
}
