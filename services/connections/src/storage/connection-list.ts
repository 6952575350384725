import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { APPLICATION_KINDS } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { olderThan, positionOf, readNewestPart } from '@fairlead/service-kit/mongo/list-part';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Filter } from 'mongodb';
import type { ConnectionStatus, ConnectionView } from '../domain/connection.ts';
import { CONNECTION_STATUSES } from '../domain/connection.ts';
import type { ConnectionFilter, ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectionCount, ConnectionCounts } from './connection-counts.ts';
import { havingStatus } from './connection-listing.ts';
import { createExpiredListings } from './expired-listings.ts';
import { toListedConnection } from './connection-mapping.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import {
  connectionCollection,
  LIST_INDEX,
  LIST_OF_END_USER_INDEX,
  OF_APPLICATION_INDEX,
  OF_KIND_INDEX,
} from './connection.collection.ts';

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

/** From this offset on, the count is read first, so that the page can be read from the nearer end. */
const FAR_OFFSET = 1_000;

/**
 * Lists connections. The cost depends on the page and the offset, not on the number of matches: see
 * docs/adr/0037-connections-are-counted-when-they-are-written.md.
 */
export function createConnectionList(
  store: MongoStore,
  counts: Pick<ConnectionCounts, 'add' | 'areComplete' | 'read'>,
): ConnectionStore['list'] {
  const connections = store.collection(connectionCollection);
  const expired = createExpiredListings(store, counts);

  /** Reads as many connections of a page as fit into one message. */
  async function read(
    ctx: RequestContext,
    { filter, index }: Selection,
    page: Page,
  ): Promise<Pick<ListPart<ConnectionView>, 'items' | 'next'>> {
    const options = { ...operationOptions(ctx), ...(index !== undefined && { hint: index }) };
    const { items, next } = await readNewestPart(connections, filter, page, options);
    return { items: items.map(toListedConnection), next };
  }

  /** Reads a far page from the oldest connection on: finds the connection just before the page by the number of older ones. */
  async function readFromOldest(
    ctx: RequestContext,
    { filter, index }: Selection & { readonly index: string },
    { top, older }: { readonly top: number; readonly older: number },
  ): Promise<Pick<ListPart<ConnectionView>, 'items' | 'next'>> {
    const [before] = await connections
      .find(filter, { ...operationOptions(ctx), hint: index })
      .sort(OLDEST_FIRST)
      .skip(older)
      .limit(1)
      .project<{ readonly _id: number; readonly createdAt: Date }>({ createdAt: 1 })
      .toArray();
    // So many connections were deleted since the count that the page is empty.
    if (before === undefined) return { items: [] };
    // olderThan does not know that these ids are numbers.
    const behind = { $and: [filter, olderThan(positionOf(before))] } as Filter<ConnectionDocument>;
    return await read(ctx, { filter: behind, index }, { offset: 0, top });
  }

  /** Part of a page, if connections are counted. */
  async function readCounted(
    ctx: RequestContext,
    accountId: string,
    filter: ConnectionFilter,
  ): Promise<ListPart<ConnectionView>> {
    const { offset, top, after, applicationSlug } = filter;
    const kinds = filter.kinds.length === 0 ? APPLICATION_KINDS : filter.kinds;
    const statuses = filter.status === undefined ? CONNECTION_STATUSES : [filter.status];
    const page = { offset, top, after };
    const countSelection = selection(accountId, applicationSlug, kinds, statuses);
    if (after !== undefined) return { ...(await read(ctx, countSelection, page)), totalCount: 0 };
    const isSelected = ({ kind, status }: ConnectionCount): boolean =>
      kinds.includes(kind) && statuses.includes(status);
    const counting = counts.read(ctx, accountId, applicationSlug);
    if (offset < FAR_OFFSET) {
      const [part, all] = await Promise.all([read(ctx, countSelection, page), counting]);
      return { ...part, totalCount: totalOf(all.filter(isSelected)) };
    }
    const all = await counting;
    const matching = all.filter(isSelected);
    const totalCount = totalOf(matching);
    const older = totalCount - offset;
    if (older <= 0) return { items: [], totalCount };
    const isMost =
      applicationSlug === undefined && filter.status === undefined && totalCount * 2 > totalOf(all);
    const selected = isMost
      ? { filter: { accountId, kind: { $in: [...kinds] } }, index: LIST_INDEX }
      : // Leaves out kinds and statuses without matches: fewer index ranges to merge.
        selection(
          accountId,
          applicationSlug,
          kinds.filter((kind) => matching.some((each) => each.kind === kind)),
          statuses.filter((status) => matching.some((each) => each.status === status)),
        );
    const part =
      older < offset ? await readFromOldest(ctx, selected, { top, older }) : await read(ctx, selected, page);
    return { ...part, totalCount };
  }

  /** The same page, found by reading all connections that may match. */
  async function readUncounted(
    ctx: RequestContext,
    accountId: string,
    { kinds, applicationSlug, status, endUserId, ...page }: ConnectionFilter,
    now: Date,
  ): Promise<ListPart<ConnectionView>> {
    const filter: Filter<ConnectionDocument> = {
      accountId,
      ...(endUserId !== undefined && { endUserId }),
      ...(kinds.length > 0 && { kind: { $in: [...kinds] } }),
      ...(applicationSlug !== undefined && { applicationSlug }),
      ...(status !== undefined && havingStatus(status, now)),
    };
    const index = endUserId === undefined ? undefined : LIST_OF_END_USER_INDEX;
    const options = { ...operationOptions(ctx), ...(index !== undefined && { hint: index }) };
    const [part, totalCount] = await Promise.all([
      read(ctx, { filter, index }, page),
      page.after === undefined ? connections.countDocuments(filter, options) : 0,
    ]);
    return { ...part, totalCount };
  }

  return async (ctx, accountId, filter, now) => {
    // End users have few connections, which are not counted separately.
    if (filter.endUserId !== undefined) return await readUncounted(ctx, accountId, filter, now);
    const isExact =
      (await counts.areComplete(ctx)) &&
      (filter.status === undefined || (await expired.block(ctx, accountId, now)));
    return isExact
      ? await readCounted(ctx, accountId, filter)
      : await readUncounted(ctx, accountId, filter, now);
  };
}

interface Selection {
  readonly filter: Filter<ConnectionDocument>;
  /** The index to use; undefined: the database chooses one. */
  readonly index: string | undefined;
}

/** Equality on all members before the sort key of the index, so that index ranges are merged, not sorted. */
function selection(
  accountId: string,
  applicationSlug: string | undefined,
  kinds: readonly ApplicationKind[],
  statuses: readonly ConnectionStatus[],
): Selection & { readonly index: string } {
  const filter = { accountId, kind: { $in: [...kinds] }, listedStatus: { $in: [...statuses] } };
  return applicationSlug === undefined
    ? { filter, index: OF_KIND_INDEX }
    : { filter: { ...filter, applicationSlug }, index: OF_APPLICATION_INDEX };
}

function totalOf(counts: readonly ConnectionCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
