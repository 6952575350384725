import type { ApplicationKind } from '@fairlead/connector-model/model';
import { APPLICATION_KINDS } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { Filter } from 'mongodb';
import type { ConnectionStatus } from '../domain/connection.ts';
import { CONNECTION_STATUSES } from '../domain/connection.ts';
import type { ConnectionFilter, ConnectionPage, ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectionCount, ConnectionCounts } from './connection-counts.ts';
import { havingStatus } from './connection-listing.ts';
import { createExpiredListings } from './expired-listings.ts';
import { toConnection } from './connection-mapping.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import {
  connectionCollection,
  LIST_INDEX,
  LIST_OF_END_USER_INDEX,
  OF_APPLICATION_INDEX,
  OF_KIND_INDEX,
} from './connection.collection.ts';

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

/** From this offset on, the count is read before the page, so that the page can be read from the nearer end. */
const FAR_OFFSET = 1_000;

/**
 * Lists connections. The cost of its reads depends on the page and on the offset, not on how many connections match: see
 * docs/adr/0037-connections-are-counted-when-they-are-written.md.
 */
export function createConnectionList(
  store: MongoStore,
  counts: Pick<ConnectionCounts, 'add' | 'areComplete' | 'read'>,
): ConnectionStore['list'] {
  const connections = store.collection(connectionCollection);
  const expired = createExpiredListings(store, counts);

  async function read(
    ctx: RequestContext,
    selected: Selection,
    o: {
      readonly sort: typeof NEWEST_FIRST | typeof OLDEST_FIRST;
      readonly skip: number;
      readonly limit: number;
    },
  ): Promise<ConnectionDocument[]> {
    return await connections
      .find(selected.filter, { ...operationOptions(ctx), hint: selected.index })
      .sort(o.sort)
      .skip(o.skip)
      .limit(o.limit)
      .toArray();
  }

  /** A page of counted connections. */
  async function counted(
    ctx: RequestContext,
    accountId: string,
    filter: ConnectionFilter,
  ): Promise<ConnectionPage> {
    const { offset, top, applicationSlug } = filter;
    const kinds = filter.kinds.length === 0 ? APPLICATION_KINDS : filter.kinds;
    const statuses = filter.status === undefined ? CONNECTION_STATUSES : [filter.status];
    const isSelected = ({ kind, status }: ConnectionCount): boolean =>
      kinds.includes(kind) && statuses.includes(status);
    const counting = counts.read(ctx, accountId, applicationSlug);
    const near = { sort: NEWEST_FIRST, skip: offset, limit: top };
    if (offset < FAR_OFFSET) {
      const [documents, all] = await Promise.all([
        read(ctx, selection(accountId, applicationSlug, kinds, statuses), near),
        counting,
      ]);
      return { items: documents.map(toConnection), totalCount: totalOf(all.filter(isSelected)) };
    }
    const all = await counting;
    const matching = all.filter(isSelected);
    const totalCount = totalOf(matching);
    const limit = Math.min(top, totalCount - offset);
    if (limit <= 0) return { items: [], totalCount };
    const isMost =
      applicationSlug === undefined && filter.status === undefined && totalCount * 2 > totalOf(all);
    const selected = isMost
      ? { filter: { accountId, kind: { $in: [...kinds] } }, index: LIST_INDEX }
      : // Each kind or status that is left out is an index range less to merge.
        selection(
          accountId,
          applicationSlug,
          kinds.filter((kind) => matching.some((each) => each.kind === kind)),
          statuses.filter((status) => matching.some((each) => each.status === status)),
        );
    const after = totalCount - offset - limit;
    const documents =
      after < offset
        ? (await read(ctx, selected, { sort: OLDEST_FIRST, skip: after, limit })).toReversed()
        : await read(ctx, selected, near);
    return { items: documents.map(toConnection), totalCount };
  }

  /** The same page, by reading everything that may match. */
  async function uncounted(
    ctx: RequestContext,
    accountId: string,
    { offset, top, kinds, applicationSlug, status, endUserId }: ConnectionFilter,
    now: Date,
  ): Promise<ConnectionPage> {
    const filter: Filter<ConnectionDocument> = {
      accountId,
      ...(endUserId !== undefined && { endUserId }),
      ...(kinds.length > 0 && { kind: { $in: [...kinds] } }),
      ...(applicationSlug !== undefined && { applicationSlug }),
      ...(status !== undefined && havingStatus(status, now)),
    };
    const hint = endUserId === undefined ? undefined : LIST_OF_END_USER_INDEX;
    const options = { ...operationOptions(ctx), ...(hint !== undefined && { hint }) };
    const [documents, totalCount] = await Promise.all([
      connections.find(filter, options).sort(NEWEST_FIRST).skip(offset).limit(top).toArray(),
      connections.countDocuments(filter, options),
    ]);
    return { items: documents.map(toConnection), totalCount };
  }

  return async (ctx, accountId, filter, now) => {
    // An end user has few, and they are not counted apart.
    if (filter.endUserId !== undefined) return await uncounted(ctx, accountId, filter, now);
    const isExact =
      (await counts.areComplete(ctx)) &&
      (filter.status === undefined || (await expired.block(ctx, accountId, now)));
    return isExact ? await counted(ctx, accountId, filter) : await uncounted(ctx, accountId, filter, now);
  };
}

interface Selection {
  readonly filter: Filter<ConnectionDocument>;
  readonly index: string;
}

/** Single values of all members before the order of the index, so that its ranges are merged and not sorted. */
function selection(
  accountId: string,
  applicationSlug: string | undefined,
  kinds: readonly ApplicationKind[],
  statuses: readonly ConnectionStatus[],
): Selection {
  const filter = { accountId, kind: { $in: [...kinds] }, listedStatus: { $in: [...statuses] } };
  return applicationSlug === undefined
    ? { filter, index: OF_KIND_INDEX }
    : { filter: { ...filter, applicationSlug }, index: OF_APPLICATION_INDEX };
}

function totalOf(counts: readonly ConnectionCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
