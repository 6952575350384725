import { hash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { Filter } from 'mongodb';
import type { AdapterPayload } from 'oidc-provider';
import type { Artifact, ArtifactStore } from '../ports/artifact-store.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import type { OAuthArtifactDocument } from './oauth-artifact.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { SEALING_SCOPE, artifactBinding } from './sealing-scope.ts';

/** How long an expired artifact can still be found, so that its holder learns that it has expired. */
const AFTERLIFE_MS = 10 * 60_000;

/** The repository on `store`, whose collections hold oauthArtifactCollection. */
export function artifactRepository(o: {
  readonly store: MongoStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
}): ArtifactStore {
  const artifacts = o.store.collection(oauthArtifactCollection);
  const userCodeHash = (userCode: string) => o.sealer.fingerprint(SEALING_SCOPE, userCode);

  async function open(filter: Filter<OAuthArtifactDocument>): Promise<Artifact | undefined> {
    // Checked here, because MongoDB deletes expired documents up to a minute late.
    const [document] = await artifacts
      .find({ ...filter, expiresAt: { $gt: o.clock.now() } }, OPERATION_LIMIT)
      .sort({ expiresAt: -1 })
      .limit(1)
      .toArray();
    if (document === undefined) return undefined;
    const text = await o.sealer.open(SEALING_SCOPE, artifactBinding(document._id), document.sealed);
    return { payload: readPayload(text.reveal()), consumedAt: document.consumedAt };
  }

  return {
    async put({ kind, id, payload, accountId, lifetimeSeconds }) {
      const _id = documentId(kind, id);
      const { grantId, accountId: userId, uid, userCode } = payload;
      const sealed = await o.sealer.seal(SEALING_SCOPE, artifactBinding(_id), JSON.stringify(payload));
      await artifacts.updateOne(
        { _id },
        {
          $set: {
            kind,
            sealed,
            ...(grantId !== undefined && { grantId }),
            ...(accountId !== undefined && { accountId }),
            ...(userId !== undefined && { userId }),
            ...(uid !== undefined && { uidHash: tokenHash(uid) }),
            ...(userCode !== undefined && { userCodeHash: await userCodeHash(userCode) }),
            expiresAt: new Date(o.clock.now().getTime() + lifetimeSeconds * 1000 + AFTERLIFE_MS),
          },
        },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    find: (kind, id) => open({ _id: documentId(kind, id) }),
    findByUid: (kind, uid) => open({ kind, uidHash: tokenHash(uid), consumedAt: { $exists: false } }),
    findByUserCode: async (kind, userCode) => open({ kind, userCodeHash: await userCodeHash(userCode) }),
    async consume(kind, id) {
      const _id = documentId(kind, id);
      const consumedAt = o.clock.now();
      const { modifiedCount } = await artifacts.updateOne(
        { _id, consumedAt: { $exists: false } },
        { $set: { consumedAt } },
        OPERATION_LIMIT,
      );
      if (modifiedCount === 1) return { isFirst: true, consumedAt };
      const used = await artifacts.findOne({ _id }, { projection: { consumedAt: 1 }, ...OPERATION_LIMIT });
      return used?.consumedAt === undefined ? undefined : { isFirst: false, consumedAt: used.consumedAt };
    },
    async remove(kind, id) {
      await artifacts.deleteOne({ _id: documentId(kind, id) }, OPERATION_LIMIT);
    },
    async removeOfGrant(grantId) {
      await artifacts.deleteMany({ grantId }, OPERATION_LIMIT);
    },
    async removeOf(owner) {
      await artifacts.deleteMany(owner, OPERATION_LIMIT);
    },
  };
}

function documentId(kind: string, id: string): string {
  return `${kind}:${tokenHash(id)}`;
}

function readPayload(text: string): AdapterPayload {
  // Validated: `put` serialized it.
  return JSON.parse(text) as AdapterPayload;
}

/** SHA-256 in base64url, to find a client's value without storing it. Only for values too long to be guessed. */
function tokenHash(value: string): string {
  return hash('sha256', value, 'base64url');
}
