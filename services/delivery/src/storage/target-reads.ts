import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';
import type { ReadTarget } from '../ports/targets.ts';
import { destinationCollection } from './destination.collection.ts';
import { openHeaders } from './destination.repository.ts';
import { sealedPlace } from './sealed-collections.ts';

/** Reads destinations with their secrets; one that is deleted is none. */
export function createTargetReads(
  store: MongoStore,
  sealer: Pick<Sealer, 'open'>,
): (destinationId: string) => Promise<ReadTarget | undefined> {
  const destinations = store.collection(destinationCollection);
  return async (destinationId) => {
    const document = await destinations.findOne({ _id: destinationId, isDeleted: false });
    if (document === null) return undefined;
    const { accountId, url, disabledReason, epoch, resumeFrom } = document;
    const [secret, headers] = await Promise.all([
      sealer.open(accountId, sealedPlace(destinationId, 'secret'), document.secret),
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
