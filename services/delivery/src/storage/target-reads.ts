import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { TargetState } from '../ports/targets.ts';
import { destinationCollection } from './destination.collection.ts';
import type { DestinationDocument } from './destination.collection.ts';
import { openHeaders } from './destination.repository.ts';
import { destinationBinding } from './sealed-collections.ts';

/**
 * Reads for many attempts are combined. If many destinations hang, their attempts end and begin together; with one query each, reads would
 * exceed their allowed age and be repeated again and again. No limit of its own: waiting attempts are limited.
 */
const LIMITS: BatchLimits = {
  itemsPerBatch: 128,
  bytesPerBatch: Number.MAX_SAFE_INTEGER,
  waitingItems: Number.MAX_SAFE_INTEGER,
  waitingBytes: Number.MAX_SAFE_INTEGER,
  batches: 4,
  slowMs: 10,
};

/** Reads destinations with their secrets; a deleted one is undefined. */
export function createTargetReads(
  store: MongoStore,
  sealer: Pick<Sealer, 'open'>,
): (destinationId: string) => Promise<TargetState | undefined> {
  const destinations = store.collection(destinationCollection);
  const documents = createBatcher<string, DestinationDocument | undefined>({
    limits: LIMITS,
    async process(ids) {
      const found = await destinations.find({ _id: { $in: [...ids] }, isDeleted: false }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return ids.map((id) => ({ status: 'done', value: byId.get(id) }));
    },
  });
  return async (destinationId) => {
    const document = await documents.add(destinationId);
    if (document === undefined) return undefined;
    const { accountId, url, disabledReason, epoch, resumeFrom } = document;
    const [secret, headers] = await Promise.all([
      sealer.open(accountId, destinationBinding(destinationId, 'secret'), document.secret),
      openHeaders(sealer, document),
    ]);
    return {
      id: destinationId,
      accountId,
      url,
      secret,
      headers,
      isEnabled: disabledReason === null,
      epoch,
      resumeFrom,
    };
  };
}
