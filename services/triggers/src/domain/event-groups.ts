import type { CapturedEvent } from './event.ts';

const EVENTS_PER_GROUP = 64;
const BYTES_PER_GROUP = 256 * 1024;

/** Divides events into groups of at most 64 events or 256 KiB of bodies; a larger event gets its own group. */
export function divideEvents(events: readonly CapturedEvent[]): readonly (readonly CapturedEvent[])[] {
  const groups: CapturedEvent[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    bytes += event.body.length;
    const group = groups.at(-1);
    if (group === undefined || group.length === EVENTS_PER_GROUP || bytes > BYTES_PER_GROUP) {
      groups.push([event]);
      bytes = event.body.length;
    } else group.push(event);
  }
  return groups;
}
