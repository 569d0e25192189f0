// Cost of a process: cold start to readyz, idle memory and idle CPU of a svcd with its embedded worker.
import { readFileSync } from 'node:fs';
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';

const STARTS = 7;
/** After a start the runtime tidies its heap for a while; idle begins after that. */
const SETTLE_S = 30;
const IDLE_S = 20;
/** Linux reports CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const residentMb = (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export async function benchProcess(): Promise<Row[]> {
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const server = await startServerProcess();
    starts.push(server.readyMs);
    await server.dispose();
  }
  const server = await startServerProcess();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_S * 1000));
  const before = cpuSeconds(server.pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_S * 1000));
  const idleCpu = ((cpuSeconds(server.pid) - before) / IDLE_S) * 100;
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
