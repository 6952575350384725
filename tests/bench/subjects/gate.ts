// The gate between a request and its route: authentication and budgets, as the gateway builds them.
import { generateKeyPairSync, sign } from 'node:crypto';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { rateWindowCollection } from '@fairlead/service-kit/limiter/mongo-window-store';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '@fairlead-services/gateway/identity/domain/records';
import { cacheCredentials, createIdentityCaches } from '@fairlead-services/gateway/identity/identity-cache';
import type { CredentialStore } from '@fairlead-services/gateway/identity/ports/credential-store';
import type { TokenVerifier } from '@fairlead-services/gateway/identity/ports/token-verifier';
import { credentialRepository } from '@fairlead-services/gateway/identity/storage/credential.repository';
import { testAccount, testApiKey, testUser } from '@fairlead-services/gateway/identity/testing/records';
import { createAuthenticate } from '@fairlead-services/gateway/identity/use-cases/authenticate';
import type { Authenticate } from '@fairlead-services/gateway/access/authenticate';
import { PERMISSIONS } from '@fairlead-services/gateway/access/permissions';
import { createLimits } from '@fairlead-services/gateway/limits/limits';
import type { Limits } from '@fairlead-services/gateway/limits/limits';
import { createReadAccessToken } from '@fairlead-services/gateway/oauth/access-token';
import { createTokenVerifier } from '@fairlead-services/gateway/oauth/token-verifier';
import { unlimited } from '@fairlead-services/gateway/testing/edge';
import type { CredentialHeaders } from '../child.ts';
import type { EdgeStage } from '../requests.ts';
import { BENCH_DATABASE } from '../stores.ts';
import type { Stores } from '../stores.ts';

/** The gate of a stage, and the credentials that pass it. */
export interface Gate {
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  readonly headers: CredentialHeaders;
}

const ISSUER = 'https://bench.fairlead.example/oauth';
const AUDIENCE = 'https://bench.fairlead.example';
const TOKEN_SECONDS = 24 * 60 * 60;
const MORE_THAN_ANY = 1_000_000_000;

const member: Member = {
  account: testAccount({
    id: 'acc_bench',
    budgets: {
      burstPerSecond: MORE_THAN_ANY,
      hourly: MORE_THAN_ANY,
      searchPerSecond: MORE_THAN_ANY,
      searchPerHour: MORE_THAN_ANY,
      triggerTestPerMinute: 10,
      hookPerSecond: 100,
    },
  }),
  user: testUser({ accountId: 'acc_bench', role: 'owner' }),
};

/** Opens the gate of a stage; `apiKey` is one of the stack. */
export async function openGate(o: {
  readonly stage: EdgeStage;
  readonly stores: Stores;
  readonly apiKey: string;
  readonly log: Logger;
}): Promise<Gate> {
  const { stage, stores, log } = o;
  const { token, tokens } = bearer(stage === 'cold-gate');
  const authenticate = createAuthenticate({
    credentials: await credentials(o),
    tokens,
    keyUses: { note: () => undefined },
    clock: systemClock,
  });
  const hasBudgets = !['edge', 'log', 'auth'].includes(stage);
  return {
    authenticate,
    limits: hasBudgets ? await budgets(stores, log) : unlimited(),
    headers: { key: { 'x-api-key': o.apiKey }, bearer: { authorization: `Bearer ${token}` } },
  };
}

/** The owner of a key: cached, or read from the gateway's own database each time. */
async function credentials(o: {
  readonly stage: EdgeStage;
  readonly stores: Stores;
  readonly log: Logger;
}): Promise<CredentialStore> {
  if (o.stage === 'cold-gate') {
    const store = await connectMongo({
      uri: new Secret(o.stores.mongodbUri),
      database: 'fairlead_gateway',
      log: o.log,
      collections: [],
    });
    // The bench's token has no grant in the stack's database.
    return { ...credentialRepository(store), findMember: () => Promise.resolve(member) };
  }
  const caches = createIdentityCaches({ clock: systemClock, subscribe: () => ({ session: () => 1 }) });
  return cacheCredentials(caches, {
    findKeyOwner: () => Promise.resolve({ ...member, key: testApiKey({ accountId: 'acc_bench' }) }),
    findMember: () => Promise.resolve(member),
  });
}

/** A token like those of the authorization server, and its verifier; a cold verifier caches no token. */
function bearer(isCold: boolean): { readonly token: string; readonly tokens: TokenVerifier } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const head = { alg: 'RS256', typ: 'at+jwt', kid: 'bench' };
  const claims = {
    iss: ISSUER,
    sub: member.user.id,
    aud: AUDIENCE,
    jti: 'bench',
    client_id: 'bench',
    scope: PERMISSIONS.join(' '),
    account_id: member.account.id,
    user_id: member.user.id,
    grant_id: 'bench',
    iat: nowSeconds,
    exp: nowSeconds + TOKEN_SECONDS,
  };
  const signed = [head, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  const token = `${signed}.${base64url(sign('sha256', Buffer.from(signed), privateKey))}`;
  const tokens = createTokenVerifier({
    audience: AUDIENCE,
    read: createReadAccessToken({
      issuer: ISSUER,
      findKey: () => Promise.resolve(publicKey),
      clock: systemClock,
    }),
    isLive: () => Promise.resolve(true),
    clock: systemClock,
    ...(isCold && { maxEntries: 0 }),
  });
  return { token, tokens };
}

/** The budgets of one more replica, on the stack's own stores. */
async function budgets(stores: Stores, log: Logger): Promise<Limits> {
  const store = await connectMongo({
    uri: new Secret(stores.mongodbUri),
    database: BENCH_DATABASE,
    log,
    collections: [rateWindowCollection],
  });
  const nats = await connectNats({ url: new Secret(stores.natsUrl), name: 'bench', log });
  return createLimits({ store, nats, clock: systemClock, log });
}

function base64url(data: string | Buffer): string {
  return Buffer.from(data).toString('base64url');
}
