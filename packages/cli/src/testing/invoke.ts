import { PassThrough } from 'node:stream';
import { run } from '../run.ts';
import type { Input, World } from '../world.ts';

/** The result of a command line. */
export interface Invoked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** How a test's world differs from an empty one. */
export interface InvokeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly data?: string;
  readonly cwd?: string;
  /** Standard input: from a pipe, or typed at a terminal. */
  readonly input?: { readonly piped: string } | { readonly typed: string };
  readonly isTerminal?: boolean;
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
  /** Receives the addresses that the browser should open. */
  readonly opened?: string[];
  /** Called in place of every wait. */
  readonly onWait?: () => void;
  /** Receives stderr output as it is written. */
  readonly onErr?: (text: string) => void;
}

/** Runs a command line in this process. */
export async function invoke(argv: readonly string[], options: InvokeOptions = {}): Promise<Invoked> {
  let out = '';
  let err = '';
  const world: World = {
    environment: options.environment ?? {},
    cwd: options.cwd ?? '/',
    defaultData: options.data ?? '/nowhere',
    platform: 'linux',
    in: inputOf(options.input ?? { piped: '' }),
    out: { write: (text) => (out += text) },
    err: {
      write: (text) => {
        err += text;
        options.onErr?.(text);
      },
    },
    isTerminal: options.isTerminal ?? false,
    now: options.now ?? (() => new Date()),
    wait: async () => options.onWait?.(),
    openBrowser: (url) => options.opened?.push(url),
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await run(argv, world);
  return { code, out, err };
}

function inputOf(input: NonNullable<InvokeOptions['input']>): Input {
  const stream = new PassThrough();
  if ('piped' in input) {
    stream.end(input.piped);
    return stream;
  }
  stream.write(input.typed);
  return Object.assign(stream, { isTTY: true, setRawMode: () => undefined });
}
