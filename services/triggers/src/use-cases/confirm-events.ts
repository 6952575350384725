import type { Clock } from '@fairlead/service-kit/clock';
import type { EventStream } from '../ports/event-stream.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Outbox, PendingGroup } from '../ports/outbox.ts';

export interface ConfirmEventsDeps {
  readonly outbox: Pick<Outbox, 'pending' | 'read' | 'confirm'>;
  readonly stream: Pick<EventStream, 'state' | 'publish'>;
  readonly ledger: Ledger;
  /** Number of earlier confirmed events that the ledger now lacks. */
  readonly reportLost: (eventIds: readonly string[]) => void;
  /** Whether this replica may continue. */
  readonly mayContinue: () => Promise<boolean>;
  readonly clock: Clock;
}

/** A position in the stream: events captured up to `until` were published before it. */
export interface Checkpoint {
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly until: Date;
}

/** By this time after its capture, the capturing replica has published an event, or never will. */
const PUBLISHED_AFTER_MS = 2_000;
/** Approximate number of events read and published at once. */
const CHUNK = 64;

/**
 * Asks the ledger which pending events it has; confirms those, and publishes the others again. Only events that were published before the
 * given checkpoint are considered, and only once the stream has no older messages than the checkpoint, or was recreated or restored. So
 * nothing is published twice just because the ledger is slow. Returns the checkpoint for the next call.
 */
export async function confirmEvents(
  deps: ConfirmEventsDeps,
  checkpoint: Checkpoint | undefined,
): Promise<Checkpoint> {
  const now = deps.clock.now();
  const { createdAt, firstSequence, lastSequence, messages } = await deps.stream.state();
  const isBehind =
    checkpoint?.createdAt === createdAt &&
    lastSequence >= checkpoint.lastSequence &&
    messages > 0 &&
    firstSequence <= checkpoint.lastSequence;
  if (checkpoint !== undefined && isBehind) return checkpoint;
  if (checkpoint !== undefined) await settle(deps, now, checkpoint.until);
  return { createdAt, lastSequence, until: new Date(now.getTime() - PUBLISHED_AFTER_MS) };
}

async function settle(deps: ConfirmEventsDeps, now: Date, until: Date): Promise<void> {
  for await (const groups of deps.outbox.pending(now, until)) {
    if (!(await deps.mayContinue())) return;
    const missing = new Set(await deps.ledger.findMissing(groups.flatMap(({ eventIds }) => eventIds)));
    const isIncomplete = ({ eventIds }: PendingGroup): boolean => eventIds.some((id) => missing.has(id));
    const incomplete = groups.filter(isIncomplete);
    await deps.outbox.confirm(
      groups.filter((group) => !isIncomplete(group)).map(({ id }) => id),
      now,
    );
    for (const some of chunksOf(incomplete)) {
      const events = await deps.outbox.read(some.map(({ id }) => id));
      await deps.stream.publish(events.filter(({ id }) => missing.has(id)));
      const published = new Set(events.map(({ id }) => id));
      await giveUpWithoutBodies(
        deps,
        some.filter(({ eventIds }) => !eventIds.some((id) => published.has(id))),
        now,
      );
    }
  }
}

/**
 * Groups confirmed before a restore have no bodies any more. Others may have been confirmed by another replica meanwhile, so ask the ledger
 * again.
 */
async function giveUpWithoutBodies(
  { ledger, outbox, reportLost }: ConfirmEventsDeps,
  groups: readonly PendingGroup[],
  now: Date,
): Promise<void> {
  if (groups.length === 0) return;
  const lost = await ledger.findMissing(groups.flatMap(({ eventIds }) => eventIds));
  if (lost.length > 0) reportLost(lost);
  await outbox.confirm(
    groups.map(({ id }) => id),
    now,
  );
}

/** Groups read at once. */
function chunksOf(groups: readonly PendingGroup[]): readonly (readonly PendingGroup[])[] {
  const chunks: PendingGroup[][] = [];
  let events = CHUNK;
  for (const group of groups) {
    events += group.eventIds.length;
    const chunk = chunks.at(-1);
    if (chunk === undefined || events > CHUNK) {
      chunks.push([group]);
      events = group.eventIds.length;
    } else chunk.push(group);
  }
  return chunks;
}
