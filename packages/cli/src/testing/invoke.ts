import { PassThrough } from 'node:stream';
import { run } from '../run.ts';
import type { Input, World } from '../world.ts';

/** The result of a command line. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The parts that a test adds to its otherwise empty world. */
export interface InvokeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly data?: string;
  readonly cwd?: string;
  /** Standard input: from a pipe, or typed at a terminal once there is a prompt, or pasted there together with the command. */
  readonly input?: { readonly piped: string } | { readonly typed: string } | { readonly pasted: string };
  readonly isTerminal?: boolean;
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
  /** Receives the addresses that the browser should open. */
  readonly opened?: string[];
  /** Called instead of every wait. */
  readonly onWait?: () => void;
  /** Receives stdout output as it is written. */
  readonly onOut?: (text: string) => void;
  /** Receives stderr output as it is written. */
  readonly onErr?: (text: string) => void;
}

/** Runs a command line in this process. */
export async function invoke(argv: readonly string[], options: InvokeOptions = {}): Promise<CommandResult> {
  let out = '';
  let err = '';
  const input = inputOf(options.input ?? { piped: '' });
  let answers = options.input !== undefined && 'typed' in options.input ? options.input.typed : '';
  const type = (): void => {
    if (answers !== '') input.write(answers);
    answers = '';
  };
  const world: World = {
    environment: options.environment ?? {},
    cwd: options.cwd ?? '/',
    defaultData: options.data ?? '/nowhere',
    platform: 'linux',
    in: input,
    out: {
      write: (text, written) => {
        out += text;
        options.onOut?.(text);
        written?.();
      },
    },
    err: {
      write: (text) => {
        err += text;
        options.onErr?.(text);
        if (text.endsWith(': ')) type();
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

function inputOf(input: NonNullable<InvokeOptions['input']>): PassThrough & Input {
  const stream = new PassThrough();
  if ('piped' in input) {
    stream.end(input.piped);
    return stream;
  }
  if ('pasted' in input) stream.write(input.pasted);
  return Object.assign(stream, { isTTY: true, setRawMode: () => undefined });
}
