import { hostname } from 'node:os';
import type { Track } from '@fairlead/connect-fast/endpoint';
import { z } from 'zod';
import { randomBase62 } from '../ids.ts';
import type { Nats } from '../nats/nats.ts';
import type { Canaries } from './canaries.ts';

const obeyed = z.object({
  /** Percentage of accounts. */
  weight: z.number(),
  isAborted: z.boolean(),
  /** Whether pinned accounts and headers count; absent in reports of releases that may use them. */
  isOpen: z.boolean().default(true),
  /** Revision and time of the applied change; null: none. */
  revision: z.number().nullable(),
  at: z.string().nullable(),
  /** Digest of the rule. */
  of: z.string(),
  /** Known addresses of the canary. */
  canaryAddresses: z.number(),
});

const canaryReport = z.object({
  /** Name and id of the process. */
  service: z.string(),
  instance: z.string(),
  track: z.enum(['stable', 'canary']),
  /** The known canaries, by service. */
  services: z.record(z.string(), obeyed),
});

/** The canaries as one process applies them. */
export type CanaryReport = Readonly<z.infer<typeof canaryReport>>;

const SUBJECT = 'fairlead.canaries.report.v1';
const ID_LENGTH = 22;

/** Answers every request for reports, for as long as `nats` is open. */
export function answerCanaryReports(o: {
  readonly nats: Pick<Nats, 'answerRollCalls'>;
  readonly service: string;
  readonly track: Track;
  readonly canaries: Pick<Canaries, 'current' | 'endpoints'>;
}): void {
  const instance = `${hostname()}/${randomBase62(ID_LENGTH)}`;
  o.nats.answerRollCalls(SUBJECT, (): CanaryReport => {
    const services = [...o.canaries.current()].map(
      ([name, { weight, isOpen, change, digest }]) =>
        [
          name,
          {
            weight,
            isAborted: change?.isAborted ?? false,
            isOpen,
            revision: change?.revision ?? null,
            at: change?.at ?? null,
            of: digest,
            canaryAddresses: o.canaries.endpoints().get(name) ?? 0,
          },
        ] as const,
    );
    return { service: o.service, instance, track: o.track, services: Object.fromEntries(services) };
  });
}

/** The reports of all processes that answer within `waitMs`. Rejects with NatsUnavailableError. */
export function collectCanaryReports(
  nats: Pick<Nats, 'callRoll'>,
  waitMs: number,
): Promise<readonly CanaryReport[]> {
  return nats.callRoll({ subject: SUBJECT, schema: canaryReport, waitMs });
}
