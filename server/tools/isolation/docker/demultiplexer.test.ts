import { expect, test } from 'vitest';
import { createDemultiplexer } from './demultiplexer.ts';

function frame(stream: number, payload: string): Buffer {
  const bytes = Buffer.from(payload, 'utf8');
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

const whole = Buffer.concat([frame(1, 'out-1 '), frame(2, 'err-1 '), frame(1, ''), frame(1, 'out-2 é'), frame(2, 'err-2')]);

test('wherever the frames are cut, each stream is whole', () => {
  for (let size = 1; size <= whole.length; size += 1) {
    const got = { stdout: '', stderr: '' };
    const demultiplex = createDemultiplexer({
      stdout: (chunk) => (got.stdout += Buffer.from(chunk).toString('latin1')),
      stderr: (chunk) => (got.stderr += Buffer.from(chunk).toString('latin1')),
    });
    for (let at = 0; at < whole.length; at += size) demultiplex(whole.subarray(at, at + size));
    expect(Buffer.from(got.stdout, 'latin1').toString('utf8')).toBe('out-1 out-2 é');
    expect(got.stderr).toBe('err-1 err-2');
  }
});
