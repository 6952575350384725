// The gate before a route: authentication and budgets, as the gateway builds them.
import { generateKeyPairSync, sign } from 'node:crypto';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import { createReadAccessToken } from '@fairlead/access/access-token';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { Authenticate } from '@fairlead/rest-kit/authenticate';
import { createIdentityClient } from '@fairlead-services/gateway/authentication/clients/identity-client';
import {
  cacheCredentials,
  createIdentityCaches,
} from '@fairlead-services/gateway/authentication/credential-caches';
import type { Owner } from '@fairlead-services/gateway/authentication/domain/owner';
import type { CredentialLookup } from '@fairlead-services/gateway/authentication/ports/credential-lookup';
import { createTokenReader } from '@fairlead-services/gateway/authentication/token-reader';
import type { TokenReader } from '@fairlead-services/gateway/authentication/token-reader';
import { createAuthenticate } from '@fairlead-services/gateway/authentication/use-cases/authenticate';
import { createRateLimits } from '@fairlead-services/gateway/limits/limits';
import type { Limits } from '@fairlead-services/gateway/limits/limits';
import { unlimited } from '@fairlead-services/gateway/testing/edge';
import { startChild } from '../child.ts';
import type { CredentialHeaders } from '../child.ts';
import type { EdgeStage } from '../requests.ts';
import { BENCH_DATABASE } from '../stores.ts';
import type { Stores } from '../stores.ts';
import { callerKeys } from './caller.ts';

/** A stage's gate, and the credentials that pass it. */
export interface Gate {
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  readonly headers: CredentialHeaders;
}

const ISSUER = 'https://bench.fairlead.example/oauth';
const AUDIENCE = 'https://bench.fairlead.example';
const TOKEN_SECONDS = 24 * 60 * 60;
const MORE_THAN_ANY = 1_000_000_000;

const owner: Owner = {
  member: {
    accountId: 'acc_bench',
    accountName: 'Bench',
    userId: 'usr_bench',
    userName: 'Bench',
    userEmail: 'owner@bench.example',
    roles: ['owner'],
    permissions: PERMISSIONS,
    budgets: {
      burstPerSecond: MORE_THAN_ANY,
      hourly: MORE_THAN_ANY,
      searchPerSecond: MORE_THAN_ANY,
      searchPerHour: MORE_THAN_ANY,
      triggerTestPerMinute: 10,
      hookPerSecond: 100,
    },
    defaultLicence: 'active',
    maxConnectionsPerEndUser: 20,
  },
  isActive: true,
  isAccountOpen: true,
};

/** Opens the gate of a stage; `apiKey` is one of the stack's. */
export async function openGate(o: {
  readonly stage: EdgeStage;
  readonly stores: Stores;
  readonly apiKey: string;
  readonly log: Logger;
}): Promise<Gate> {
  const { stage, stores, log } = o;
  const { token, tokens } = bearer(stage === 'cold-gate');
  const authenticate = createAuthenticate({
    accepted: { audience: AUDIENCE, isKeyBearer: false },
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

/** The owner of a key: cached, or looked up in identity each time. A token's owner is always cached, like its grant. */
async function credentials(o: {
  readonly stage: EdgeStage;
  readonly stores: Stores;
  readonly log: Logger;
}): Promise<CredentialLookup> {
  const caches = createIdentityCaches({ clock: systemClock, subscribe: () => ({ session: () => 1 }) });
  const cached = cacheCredentials(caches, {
    findKey: () =>
      Promise.resolve({ owner, keyId: 'key_bench', expiresAt: null, scopes: null, toolsetId: null }),
    findTokenOwner: () => Promise.resolve(owner),
    findUser: () => Promise.resolve(owner),
  });
  if (o.stage !== 'cold-gate') return cached;
  // A separate process, whose CPU the benchmark adds to this one's.
  const { hello } = await startChild('identity', { args: [o.stores.mongodbUri] });
  const peer = createRpcPeer({ service: 'identity', addresses: [hello.url], transport: 'connect-fast' });
  const identity = createIdentityClient({ peer, callerKeys, clock: systemClock, log: o.log });
  return { ...cached, findKey: (hash) => identity.findKey(hash) };
}

/** A token like the authorization server's, and its reader; a cold reader caches no token. */
function bearer(isCold: boolean): { readonly token: string; readonly tokens: TokenReader } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const head = { alg: 'RS256', typ: 'at+jwt', kid: 'bench' };
  const claims = {
    iss: ISSUER,
    sub: owner.member.userId,
    aud: AUDIENCE,
    jti: 'bench',
    client_id: 'bench',
    scope: PERMISSIONS.join(' '),
    account_id: owner.member.accountId,
    user_id: owner.member.userId,
    grant_id: 'bench',
    iat: nowSeconds,
    exp: nowSeconds + TOKEN_SECONDS,
  };
  const signed = [head, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  const token = `${signed}.${base64url(sign('sha256', Buffer.from(signed), privateKey))}`;
  const tokens = createTokenReader({
    read: createReadAccessToken({
      issuer: ISSUER,
      findKey: () => Promise.resolve(publicKey),
      clock: systemClock,
    }),
    clock: systemClock,
    ...(isCold && { maxEntries: 0 }),
  });
  return { token, tokens };
}

/** Budgets of a further replica on the stack's own stores. */
async function budgets(stores: Stores, log: Logger): Promise<Limits> {
  const store = await connectMongo({
    uri: new Secret(stores.mongodbUri),
    database: BENCH_DATABASE,
    log,
    collections: [rateWindowCollection],
  });
  const nats = await connectNats({ url: new Secret(stores.natsUrl), name: 'bench', log });
  return createRateLimits({ store, nats, clock: systemClock, log });
}

function base64url(data: string | Buffer): string {
  return Buffer.from(data).toString('base64url');
}
