import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { post } from './api.ts';

const created = z.object({ id: z.string() });
const createdTrigger = z.object({ id: z.string(), inboundUrl: z.url() });

/** A process that was killed is started again, on a busy machine. */
const STARTED = { timeout: 240_000, interval: 500 };
const PAUSE_MS = 200;

/**
 * The object that a POST created, once it is answered 201: processes that the test before has killed may still be starting, and
 * those that have just started may be too busy.
 */
function create(path: string, members: object, apiKey?: string): Promise<unknown> {
  const attempt = async (): Promise<unknown> => {
    const { status, body } = await post(path, members, apiKey);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  return vi.waitFor(attempt, STARTED);
}

/** A destination at an address of the sink, of the seeded account unless a key of another one is given. */
export async function makeDestination(url: string, members: object = {}, apiKey?: string): Promise<string> {
  return created.parse(await create('/v1/triggers/destinations', { url, ...members }, apiKey)).id;
}

/** A trigger of the seeded account. */
export async function makeTrigger(members: object): Promise<string> {
  return created.parse(await create('/v1/triggers', members)).id;
}

/** Calls to a trigger, whose ids a caller has read. */
export interface Firings {
  readonly triggerId: string;
  readonly inboundUrl: string;
  /** The ids of events that were acknowledged, with the numbers that were sent in them. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** The numbers of all calls, answered or not. */
  readonly sent: () => number;
  /** When a caller read the latest acknowledgement; undefined: none yet. */
  readonly lastAcknowledgedAtMs: () => number | undefined;
  /** Calls once; whether it was acknowledged. */
  fire(): Promise<boolean>;
  /** Calls from several callers at once until `isDone`; each awaits `before` before each call. */
  fireUntil(isDone: () => boolean, before?: () => Promise<unknown>): Promise<void>;
}

const CALLERS = 8;

/** A trigger with an inbound address that sends to these destinations, of the account that they are of. */
export async function makeFirings(destinationIds: readonly string[], apiKey?: string): Promise<Firings> {
  const members = { name: 'Fired', triggerTypeSlug: 'http_webhook', destinationIds };
  const { id: triggerId, inboundUrl } = createdTrigger.parse(await create('/v1/triggers', members, apiKey));
  const acknowledged = new Map<string, number>();
  let sent = 0;
  let lastAcknowledgedAtMs: number | undefined;
  const fire = async (): Promise<boolean> => {
    const number = sent++;
    try {
      const answer = await fetch(inboundUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number }),
        signal: AbortSignal.timeout(10_000),
      });
      const body: unknown = await answer.json();
      if (answer.status !== 202) return false;
      acknowledged.set(created.parse(body).id, number);
      lastAcknowledgedAtMs = Date.now();
      return true;
    } catch {
      return false;
    }
  };
  return {
    triggerId,
    inboundUrl,
    acknowledged,
    sent: () => sent,
    lastAcknowledgedAtMs: () => lastAcknowledgedAtMs,
    fire,
    async fireUntil(isDone, before = () => Promise.resolve()) {
      const caller = async (): Promise<void> => {
        while (!isDone()) {
          await before();
          if (!(await fire())) await delay(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    },
  };
}
