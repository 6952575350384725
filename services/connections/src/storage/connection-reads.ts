import type { Collection, Filter } from 'mongodb';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionReference } from '../ports/credential-store.ts';
import type { ConnectionDocument } from './connection.collection.ts';

/** Identifies a document. */
type ConnectionKey = ConnectionReference & { readonly accountId: string };

/** Reads connections for calls, many per query. */
interface ConnectionReads {
  /** The current document, or undefined; the read begins after the call. */
  find(ctx: RequestContext, key: ConnectionKey): Promise<ConnectionDocument | undefined>;
}

/** A waiting caller needs a few hundred bytes. */
const LIMITS: BatchLimits = {
  itemsPerBatch: 200,
  bytesPerBatch: Infinity,
  waitingItems: 20_000,
  waitingBytes: Infinity,
  batches: 16,
  slowMs: 20,
};
/** Timeout of a batch. A caller with an earlier deadline stops waiting at its own deadline. */
const READ_TIMEOUT_MS = 10_000;

/** Collects the callers' requests into one query while another one is in progress (service-kit batch/batcher). */
export function createConnectionReads(connections: Collection<ConnectionDocument>): ConnectionReads {
  const batcher = createBatcher<ConnectionKey, ConnectionDocument | undefined>({
    limits: LIMITS,
    async process(keys) {
      const { filter, ...hinted } = queryOf(keys);
      const options = { maxTimeMS: READ_TIMEOUT_MS, batchSize: 2 * LIMITS.itemsPerBatch, ...hinted };
      const documents = await connections.find(filter, options).toArray();
      return keys.map((one) => ({
        status: 'done',
        value: documents.find((document) => isWanted(document, one)),
      }));
    },
  });
  return { find: (ctx, key) => batcher.add(key, { signal: ctx.signal }) };
}

/** One condition per account and kind of reference; each has its own index. */
function queryOf(keys: readonly ConnectionKey[]): {
  readonly filter: Filter<ConnectionDocument>;
  readonly hint?: string;
} {
  const conditions: Filter<ConnectionDocument>[] = [];
  let areIds = true;
  for (const [accountId, of] of Map.groupBy(keys, (one) => one.accountId)) {
    const ids = new Set(of.flatMap((one) => (one.kind === 'id' ? [one.id] : [])));
    const slugs = new Set(of.flatMap((one) => (one.kind === 'application' ? [one.applicationSlug] : [])));
    if (ids.size > 0) conditions.push({ accountId, _id: { $in: [...ids] } });
    if (slugs.size > 0) conditions.push({ accountId, applicationSlug: { $in: [...slugs] }, isDefault: true });
    areIds &&= slugs.size === 0;
  }
  const [only, ...others] = conditions;
  if (only === undefined || others.length > 0) return { filter: { $or: conditions } };
  // The hint prevents the database from considering indexes that begin with the account.
  return areIds ? { filter: only, hint: '_id_' } : { filter: only };
}

function isWanted(document: ConnectionDocument, key: ConnectionKey): boolean {
  if (document.accountId !== key.accountId) return false;
  return key.kind === 'id'
    ? document._id === key.id
    : document.isDefault && document.applicationSlug === key.applicationSlug;
}
