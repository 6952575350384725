import { errors } from 'oidc-provider';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { OAuthEntity, OAuthEntityRepository } from '../storage/oauth-entity.repository.ts';

/**
 * The storage that `oidc-provider` requires, on our store. A used refresh token counts as unused for `refreshReuseGraceSeconds`, so that a
 * client that refreshed twice at once gets a second pair and keeps its grant. Everything else can be used once.
 */
export function createAdapterFactory(
  entities: OAuthEntityRepository,
  refreshReuseGraceSeconds: number,
): AdapterFactory {
  return (model): Adapter => {
    const graceSeconds = model === 'RefreshToken' ? refreshReuseGraceSeconds : 0;

    const toPayload = (entity: OAuthEntity | undefined): AdapterPayload | undefined => {
      if (entity === undefined) return undefined;
      const { payload, consumedAt } = entity;
      return consumedAt === undefined || nowSeconds() < consumedAt + graceSeconds
        ? payload
        : { ...payload, consumed: consumedAt };
    };

    return {
      async upsert(id, payload, expiresIn) {
        entities.upsert(model, id, payload, {
          grantId: payload.grantId,
          uid: payload.uid,
          expiresAt: expiresIn === undefined ? undefined : nowSeconds() + expiresIn,
        });
      },
      async find(id) {
        return toPayload(entities.find(model, 'id', id));
      },
      async findByUid(uid) {
        return toPayload(entities.find(model, 'uid', uid));
      },
      // Required by the interface; only the device flow, which is disabled, would call it.
      async findByUserCode() {
        return undefined;
      },
      async consume(id) {
        // Two exchanges may both have read the code as unused; only the first succeeds.
        if (!entities.consume(model, id, nowSeconds()) && graceSeconds === 0) {
          throw new errors.InvalidGrant(`${model} already used`);
        }
      },
      async destroy(id) {
        entities.delete(model, id);
      },
      async revokeByGrantId(grantId) {
        entities.deleteOfGrant(model, grantId);
      },
    };
  };
}

/** Seconds since 1970, the unit of every time in OAuth. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
