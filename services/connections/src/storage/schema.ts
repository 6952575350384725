import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { paceCollection } from '@fairlead/service-kit/sweep/pace';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { connectionCountCollection } from './connection-count.collection.ts';
import { countFromTheFirst, countThoseOfEarlierReleases } from './connection-count.migrations.ts';
import { connectionCollection } from './connection.collection.ts';
import { endUserCollection } from './end-user.collection.ts';
import { registeredClientCollection } from './registered-client.collection.ts';
import { revocationCollection } from './revocation.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    connectionCollection,
    connectionCountCollection,
    authProviderCollection,
    retiredAuthProviderCollection,
    signInCollection,
    registeredClientCollection,
    revocationCollection,
    connectSessionCollection,
    endUserCollection,
    creationLockCollection,
    ...sealingCollections,
    changeCollection,
    paceCollection,
  ],
  migrations: [countFromTheFirst, countThoseOfEarlierReleases],
};
