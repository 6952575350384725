import { Console } from 'node:console';
import process from 'node:process';
import { PassThrough, Writable } from 'node:stream';

/** Bytes of standard error that are kept for messages. */
const MAX_ERROR_TEXT = 1_000;

/** The standard streams of a program in this process. */
export interface StandardStreams {
  readonly stdin: PassThrough;
  /** The end of its standard error, on one line. */
  errors(): string;
}

/**
 * Gives this process standard streams within it, and makes its end an event: the program of a package then behaves as in a process of its
 * own. `onEnd` gets the exit code; the program may go on, but nobody listens to it.
 */
export function replaceStandardStreams(o: {
  readonly onOutput: (chunk: Buffer) => void;
  readonly onEnd: (code: number) => void;
}): StandardStreams {
  let text = '';
  const stdin = new PassThrough();
  const stdout = writable(o.onOutput);
  const stderr = writable((chunk) => {
    text = `${text}${chunk.toString('utf8')}`.slice(-MAX_ERROR_TEXT);
  });
  for (const [name, value] of Object.entries({ stdin, stdout, stderr }))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  globalThis.console = new Console(stdout, stderr);
  const end = (code?: number | string | null): void => o.onEnd(Number(code ?? process.exitCode ?? 0));
  Object.defineProperty(process, 'exit', { value: end, configurable: true });
  return { stdin, errors: () => text.replaceAll(/\s+/g, ' ').trim() };
}

function writable(onChunk: (chunk: Buffer) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      onChunk(chunk);
      done();
    },
  });
}
