import type { Event, Fairlead, ListEventsQuery } from '@fairlead/sdk';
import { EXIT_CODES, reportOf } from '../failure.ts';
import { remark } from '../output.ts';
import type { World } from '../world.ts';

/** Selects the events of a feed. */
export type FeedFilter = Pick<ListEventsQuery, 'triggerId' | 'destinationId'>;

const POLL_MS = 2_000;
const PAGE = 100;
/** Events with nearly the same time may be listed in any order; an event that appears this late is still not missed. */
const OVERLAP_MS = 60_000;

/**
 * The latest `past` events and then every new event, once each, oldest first, until the command is aborted. Keeps trying while the
 * installation cannot be reached.
 */
export async function* eventFeed(
  client: Fairlead,
  world: World,
  filter: FeedFilter,
  past: number,
): AsyncGenerator<Event, never> {
  const signal = { signal: world.signal };
  const { items: first } = await client.triggers.listEvents({ ...filter, top: Math.max(1, past) }, signal);
  yield* first.slice(0, past).toReversed();
  const start = timeOf(first[0]);
  let newest = start;
  let seen = new Map(first.map((event) => [event.id, timeOf(event)]));
  for (;;) {
    await world.wait(POLL_MS);
    world.signal.throwIfAborted();
    const floor = Math.max(start, newest - OVERLAP_MS);
    const found = await patiently(world, () => eventsSince(client, filter, floor, signal));
    const fresh = found.filter(({ id }) => !seen.has(id));
    seen = new Map(
      [...seen, ...fresh.map((event) => [event.id, timeOf(event)] as const)].filter(([, at]) => at >= floor),
    );
    newest = Math.max(newest, ...fresh.map(timeOf));
    yield* fresh.toReversed();
  }
}

/** The events that were captured at `floor` or later, newest first. */
async function eventsSince(
  client: Fairlead,
  filter: FeedFilter,
  floor: number,
  signal: { readonly signal: AbortSignal },
): Promise<readonly Event[]> {
  const found: Event[] = [];
  let after: string | undefined;
  for (;;) {
    const query = { ...filter, top: PAGE, ...(after !== undefined && { after }) };
    const { items } = await client.triggers.listEvents(query, signal);
    const recent = items.filter((event) => timeOf(event) >= floor);
    found.push(...recent);
    after = items.at(-1)?.id;
    if (recent.length < PAGE) return found;
  }
}

/** The result of `read`; empty if it failed but may succeed later. */
async function patiently(world: World, read: () => Promise<readonly Event[]>): Promise<readonly Event[]> {
  try {
    return await read();
  } catch (error) {
    world.signal.throwIfAborted();
    const { exitCode, text } = reportOf(error);
    if (exitCode !== EXIT_CODES.tryLater) throw error;
    remark(world, `${text} Trying again.`);
    return [];
  }
}

function timeOf(event: Event | undefined): number {
  return event === undefined ? 0 : Date.parse(event.created_at);
}
