import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { RequestPollRecipe } from '@fairlead/connector-model/trigger-recipes';
import { CallFailure } from '../failure.ts';
import { buildRequest } from '../http/request.ts';
import type { RequestOwner } from '../http/request.ts';
import type { Sender } from '../http/send.ts';
import { valueAt } from '../json-pointer.ts';
import { textAt } from '../json-text.ts';
import { OldestItems } from './oldest-items.ts';
import { advanced, itemKey } from './poll-cursor.ts';
import type { PollCursor, PolledItem, PollGap } from './poll-cursor.ts';
import { listItems, readWholeList } from './whole-list.ts';
import type { ListItem } from './whole-list.ts';

/** Maximum number of new items per read, and maximum bytes of their JSON. */
export const MAX_NEW_ITEMS = 500;
const MAX_NEW_BYTES = 768 * 1024;
/** Maximum reads for the first cursor: enough to know all items of one overlap. */
const MAX_SEED_READS = 10;

/** The result of one read. */
export interface PollRead {
  /** New items, the oldest first. */
  readonly items: readonly PolledItem[];
  readonly cursor: PollCursor;
  /** Whether there are more new items, so that another read is needed. */
  readonly hasMore: boolean;
  readonly gaps: readonly PollGap[];
}

export interface PollCall {
  readonly owner: RequestOwner;
  readonly recipe: RequestPollRecipe;
  readonly configuration: JsonObject;
  readonly now: Date;
  readonly sender: Sender;
}

/** Reads the items that are newer than the cursor, up to the limits of one read. Throws CallFailure and EgressError. */
export async function readNewItems(call: PollCall, cursor: PollCursor): Promise<PollRead> {
  const { owner, recipe } = call;
  const known = new Set(cursor.known);
  const sinceMs = cursor.since === null ? 0 : Date.parse(cursor.since);
  const reading = new ReadResult(known);
  const oldest = new OldestItems(known, { items: MAX_NEW_ITEMS, bytes: MAX_NEW_BYTES });
  const isToEnd = await readWholeList(owner, recipe, {
    values: {
      input: call.configuration,
      cursor: cursor.since === null ? {} : sinceOf(cursor.since),
    },
    sender: call.sender,
    idOf: (item) => keyOf(call, item)?.key ?? item.text,
    restart: () => {
      reading.clear();
      oldest.clear();
    },
    visit: (item) => {
      const named = keyOf(call, item);
      // Items before the overlap, which vendors return if their times are days.
      if (named === undefined || named.timeMs < sinceMs) return true;
      if (recipe.isNewestFirst !== true) return reading.add(named, item.text);
      oldest.add(named, item.text);
      return true;
    },
  });
  const isHeld = oldest.oldestFirst.every(({ named, payload, bytes }) => reading.add(named, payload, bytes));
  const isWhole = isToEnd && isHeld && !oldest.isCut;
  if (!isWhole && !reading.isOrdered()) {
    throw new CallFailure(`${owner.connector.name} sent a list that is not ordered by time.`);
  }
  const overlapMs = recipe.overlapSeconds * 1000;
  const next = advanced(cursor, reading.read, { overlapMs, now: call.now, isWhole });
  return {
    items: reading.items,
    cursor: next.cursor,
    hasMore: !isWhole,
    gaps: [...reading.gaps, ...(next.gap === undefined ? [] : [next.gap])],
  };
}

/**
 * The first cursor of a new trigger: all existing items count as known. Throws EgressError, and CallFailure with the
 * vendor's text if it refuses.
 */
export async function seedCursor(call: PollCall): Promise<PollCursor> {
  const { owner, recipe, configuration, sender } = call;
  let lastMs = call.now.getTime();
  if (recipe.newest !== undefined) {
    const response = await sender.send(buildRequest(owner, recipe.newest, { input: configuration }));
    const [newest] = listItems(owner, recipe, response);
    if (newest === undefined) return { since: null, known: [] };
    lastMs = Math.min(keyOf(call, newest)?.timeMs ?? lastMs, lastMs);
  }
  const fromMs = lastMs - recipe.overlapSeconds * 1000;
  let cursor: PollCursor = { since: new Date(fromMs).toISOString(), known: [] };
  for (let reads = 0; reads < MAX_SEED_READS; reads += 1) {
    const read = await readNewItems(call, cursor);
    if (!read.hasMore) return read.cursor;
    cursor = read.cursor;
  }
  throw new CallFailure(`${owner.connector.name} has too many new items to begin now. Try again later.`);
}

/** An item's id and time, as its key; undefined: it has no time, and need not have one. */
function keyOf(
  { owner, recipe }: Pick<PollCall, 'owner' | 'recipe'>,
  { value, text }: ListItem,
): Omit<PolledItem, 'payload'> | undefined {
  const found = valueAt(value, recipe.idPointer);
  // Parsing would change a long number.
  const id = typeof found === 'number' ? textAt(text, recipe.idPointer) : found;
  const time = valueAt(value, recipe.timePointer);
  if (time === undefined && recipe.isTimeOptional === true) return undefined;
  const timeMs = epochOf(time, recipe.timeUnit);
  if (typeof id !== 'string' || !Number.isFinite(timeMs)) {
    throw new CallFailure(`${owner.connector.name} sent an item without an id or a time.`);
  }
  return { key: itemKey(id, timeMs), timeMs };
}

const UNIT_MS = { seconds: 1_000, milliseconds: 1 } as const;

/** A time without a zone is in UTC, whatever the zone of this process. NaN: it is no time. */
function epochOf(time: Json | undefined, unit: RequestPollRecipe['timeUnit']): number {
  if (unit !== undefined) {
    const isNumber = typeof time === 'number' || (typeof time === 'string' && /^\d+(\.\d+)?$/.test(time));
    return isNumber ? Math.floor(Number(time) * UNIT_MS[unit]) : Number.NaN;
  }
  if (typeof time !== 'string') return Number.NaN;
  return Date.parse(/T[\d:.]+$/.test(time) ? `${time}Z` : time);
}

/** The same time in each unit; whole seconds, so that no item is passed over. */
function sinceOf(since: string): JsonObject {
  const sinceMilliseconds = Date.parse(since);
  return { since, sinceMilliseconds, sinceSeconds: Math.floor(sinceMilliseconds / 1_000) };
}

/** The items that a read has found so far. */
class ReadResult {
  readonly #known: ReadonlySet<string>;
  /** All items from the cursor on, including known ones. */
  read: Omit<PolledItem, 'payload'>[] = [];
  items: PolledItem[] = [];
  gaps: PollGap[] = [];
  #bytes = 0;

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  clear(): void {
    this.read = [];
    this.items = [];
    this.gaps = [];
    this.#bytes = 0;
  }

  /** Adds an item. Returns false if it has to wait for the next read. */
  add(
    named: Omit<PolledItem, 'payload'>,
    payload: string,
    bytes: number = Buffer.byteLength(payload),
  ): boolean {
    if (!this.#known.has(named.key)) {
      if (bytes > MAX_NEW_BYTES) {
        this.gaps.push(tooLarge(named));
      } else {
        if (this.items.length === MAX_NEW_ITEMS || this.#bytes + bytes > MAX_NEW_BYTES) return false;
        this.items.push({ ...named, payload });
        this.#bytes += bytes;
      }
    }
    this.read.push(named);
    return true;
  }

  isOrdered(): boolean {
    return this.read.every(({ timeMs }, index) => timeMs >= (this.read[index - 1]?.timeMs ?? 0));
  }
}

function tooLarge({ timeMs }: Pick<PolledItem, 'timeMs'>): PollGap {
  const at = new Date(timeMs).toISOString();
  return { from: at, to: at, reason: `An item is larger than ${MAX_NEW_BYTES / 1024} KiB.` };
}
