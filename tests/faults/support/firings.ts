import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { post } from './api.ts';

const created = z.object({ id: z.string() });
const createdTrigger = z.object({ id: z.string(), inboundUrl: z.url() });

/** Time to restart a killed process on a busy machine. */
const STARTED = { timeout: 240_000, interval: 500 };
const PAUSE_MS = 200;

/** The object created by a POST, retried until 201: processes killed by the previous test may still be starting, or be too busy. */
function create(path: string, members: object, apiKey?: string): Promise<unknown> {
  const attempt = async (): Promise<unknown> => {
    const { status, body } = await post(path, members, apiKey);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  return vi.waitFor(attempt, STARTED);
}

/** A destination at an address of the receiver, by default of the seeded account. */
export async function createDestination(url: string, members: object = {}, apiKey?: string): Promise<string> {
  return created.parse(await create('/v1/triggers/destinations', { url, ...members }, apiKey)).id;
}

/** A trigger of the seeded account. */
export async function createTrigger(members: object): Promise<string> {
  return created.parse(await create('/v1/triggers', members)).id;
}

/** Acknowledged and other calls to a trigger. */
export interface Firings {
  readonly triggerId: string;
  readonly inboundUrl: string;
  /** Ids of events in acknowledgements, with the numbers sent in them. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Numbers of all calls, answered or not. */
  readonly sent: () => number;
  /** Time of the last acknowledgement; undefined: none yet. */
  readonly lastAcknowledgedAtMs: () => number | undefined;
  /** Calls once; returns whether it was acknowledged. */
  fire(): Promise<boolean>;
  /** Several callers call until `isDone`; each awaits `before` before each call. */
  fireUntil(isDone: () => boolean, before?: () => Promise<unknown>): Promise<void>;
}

const CALLERS = 8;

/** A trigger with an inbound address for these destinations, in their account. */
export async function createFirings(destinationIds: readonly string[], apiKey?: string): Promise<Firings> {
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
