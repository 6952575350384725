import type { Images, Installation } from './support/installation.ts';

/** The result of a part: what it measured, and its problems; one line each. */
export interface Result {
  readonly figures: readonly string[];
  readonly problems: readonly string[];
}

/** The cluster as the parts share it. */
export interface Site {
  readonly images: Images;
  /** The chart with two replicas of each service; installed when it is first asked for. */
  installation(): Promise<Installation>;
  say(line: string): void;
}

/** A part of the suite. Parts run in their order, and may be chosen by name. */
export interface Part {
  readonly name: string;
  run(site: Site): Promise<Result>;
}
