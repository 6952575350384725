import type { Readable } from 'node:stream';

/** Where text goes. */
interface Sink {
  write(text: string): unknown;
}

/** Standard input: a terminal can hide what is typed. */
export interface Input extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

/** What a command has of the world. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The data folder of `npm start` unless `--data` names another. */
  readonly defaultData: string;
  readonly platform: NodeJS.Platform;
  readonly in: Input;
  readonly out: Sink;
  readonly err: Sink;
  /** Whether a person reads what goes to `out`; there is no colour otherwise. */
  readonly isTerminal: boolean;
  readonly now: () => Date;
  /** Opens an address in the person's browser; answers at once, and never fails. */
  readonly openBrowser: (url: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
