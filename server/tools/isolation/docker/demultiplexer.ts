// Takes apart the stream of a container without a terminal: frames of 8 bytes of header, with the stream's number and the length, and the bytes. Source: Docker Engine API, "Attach to a container".

const HEADER_BYTES = 8;
const STDERR = 2;

export interface Outputs {
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
}

/** Returns the consumer of chunks in their order; frames may be split anywhere. */
export function createDemultiplexer(outputs: Outputs): (chunk: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  let current: (chunk: Uint8Array) => void = () => undefined;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const missing = HEADER_BYTES - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER_BYTES) return;
        left = header.readUInt32BE(4);
        current = header[0] === STDERR ? (bytes) => outputs.stderr(bytes) : (bytes) => outputs.stdout(bytes);
        header = Buffer.alloc(0);
        continue;
      }
      const bytes = rest.subarray(0, left);
      current(bytes);
      left -= bytes.length;
      rest = rest.subarray(bytes.length);
    }
  };
}
