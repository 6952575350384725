import type { Readable } from 'node:stream';

/** An output for text. */
interface Sink {
  /** `written` is called once the text has left the process. */
  write(text: string, written?: () => void): unknown;
}

/** Standard input; a terminal can hide typed text. */
export interface Input extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

/** A command's environment. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The data folder of `npm start` unless `--data` names another. */
  readonly defaultData: string;
  readonly platform: NodeJS.Platform;
  readonly in: Input;
  readonly out: Sink;
  readonly err: Sink;
  /** Whether `out` is a terminal that a person reads; otherwise there is no colour. */
  readonly isTerminal: boolean;
  readonly now: () => Date;
  /** Resolves after that many milliseconds; rejects once `signal` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Opens an address in the person's browser; returns at once, and never throws. */
  readonly openBrowser: (url: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
