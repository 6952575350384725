import type { Images, Installation } from './support/installation.ts';

/** The result of a part: its figures and its problems, one line each. */
export interface Result {
  readonly figures: readonly string[];
  readonly problems: readonly string[];
}

/** The cluster, shared by the parts. */
export interface Site {
  readonly images: Images;
  /** The chart with two replicas of each service; installed on first use. */
  installation(): Promise<Installation>;
  say(line: string): void;
}

/** A part of the suite. Parts run in order, and can be selected by name. */
export interface Part {
  readonly name: string;
  run(site: Site): Promise<Result>;
}
