import { rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { auditCollections } from '@fairlead/audit-log/storage/audit.repository';
import { idempotencyCollections } from '@fairlead/rest-kit/idempotency/storage/idempotency.repository';
import { endedSessionCollection } from '@fairlead/mcp-edge/streams/storage/ended-session.collection';
import { sessionClientCollection } from '@fairlead/mcp-edge/streams/storage/session-client.collection';
import { accountErasureCollection } from './operator/storage/account-erasure.collection.ts';
import { usageDayCollection } from './usage/storage/usage-day.collection.ts';

/** The schema of the gateway's database in this release. */
export const gatewaySchema: DatabaseSchema = {
  collections: [
    ...auditCollections,
    usageDayCollection,
    rateWindowCollection,
    ...idempotencyCollections,
    accountErasureCollection,
    endedSessionCollection,
    sessionClientCollection,
    ...sealingCollections,
  ],
};
