import type { Clock } from '@fairlead/service-kit/clock';
import type { EventStream } from '../ports/event-stream.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Outbox, PendingGroup } from '../ports/outbox.ts';

export interface ConfirmEventsDeps {
  readonly outbox: Pick<Outbox, 'pending' | 'read' | 'confirm'>;
  readonly stream: Pick<EventStream, 'state' | 'publish'>;
  readonly ledger: Ledger;
  /** Events that were confirmed earlier, and that the ledger lacks now. */
  readonly reportLost: (eventIds: readonly string[]) => void;
  /** Whether this replica may go on. */
  readonly mayContinue: () => Promise<boolean>;
  readonly clock: Clock;
}

/** A point in the stream, and the time until which captured events were published before it. */
export interface Checkpoint {
  readonly createdAt: string;
  readonly lastSequence: number;
  readonly until: Date;
}

/** The capturing replica has published an event by this time, or never will. */
const PUBLISHED_AFTER_MS = 2_000;
/** Events that are read and published again at once, about. */
const CHUNK = 64;

/**
 * Asks the ledger which of the pending events it has, confirms those and publishes the others again. An event is asked about
 * only when the stream has nothing left from before the checkpoint that was set after the event had been published, or was
 * made anew or restored to an earlier state: while the ledger is behind, nothing is published twice. Returns the checkpoint for the next call.
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
 * Groups that were confirmed before a restore have no bodies any more. Another replica may have confirmed others in the meantime, so
 * the ledger is asked again.
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

/** Groups that are read at once. */
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
