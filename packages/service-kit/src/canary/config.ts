import type { Track } from '@fairlead/connect-fast/endpoint';
import { z } from 'zod';

const TRACKS = ['stable', 'canary'] as const satisfies readonly Track[];

/** The variables of canaries; part of `serverConfigShape`. */
export const canaryConfigShape = {
  /**
   * Path of the folder with the rules of canaries, `rules.json`. A change is obeyed within seconds, without a restart; rules
   * that are not valid are refused, and the former ones stay. Default: no service has a canary.
   */
  CANARY_RULES: z.string().optional(),
  /** The track of this process, `stable` or `canary`, which its log lines name. Default stable. */
  TRACK: z.enum(TRACKS).optional(),
};

/** The parsed variables. */
export interface CanaryConfig {
  readonly CANARY_RULES?: string | undefined;
  readonly TRACK?: Track | undefined;
}
