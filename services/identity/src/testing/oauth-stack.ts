import { createPublicKey } from 'node:crypto';
import { createReadAccessToken } from '@fairlead/access/access-token';
import type { AccessToken } from '@fairlead/access/access-token';
import type { Scope } from '@fairlead/access/permissions';
import { auditEventRecorded } from '@fairlead/service-kit/changes/audit-events';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { decodeEvent } from '@fairlead/service-kit/nats/events';
import { Secret } from '@fairlead/service-kit/secret';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { z } from 'zod';
import { createAccount } from '../use-cases/create-account.ts';
import { createOAuthClient } from '../use-cases/create-oauth-client.ts';
import type { NewOAuthClient } from '../domain/oauth-client.ts';
import { createUser } from '../use-cases/create-user.ts';
import { startForwardingEdge } from './edge.ts';
import type { TestEdge } from './edge.ts';
import { startIdentityService } from './identity-service.ts';
import type { IdentityServiceOptions, TestStores } from './identity-service.ts';
import { contextOf } from './context-of.ts';
import { useCaseDeps } from './use-case-deps.ts';

/** A person who can sign in, and their account. */
export interface TestPerson {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

/** The user that an accepted access token acts as. */
export interface TokenOwner {
  readonly accountId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly isActive: boolean;
}

/** One instance of the service behind an edge, through which clients and browsers reach it. */
export interface TestReplica {
  readonly url: string;
  /**
   * The user that the REST API would admit with the token, found as the gateway does: by the published keys and ResolveToken of this
   * instance. Undefined: it would be refused.
   */
  ownerOf(token: string): Promise<TokenOwner | undefined>;
  /** Calls `CredentialService/ResolveToken` as the gateway does, without a user. Throws if it fails. */
  call(rpc: string, request: object): Promise<unknown>;
}

/** Instances of the service on one database, with an account and its owner. */
export interface OAuthStack {
  readonly store: MongoStore;
  /** The dependencies of the use cases, on the same database. */
  readonly deps: ReturnType<typeof useCaseDeps>;
  readonly owner: TestPerson;
  /** The public address of the replicas: the first one's, unless another was given. */
  readonly publicUrl: string;
  readonly replicas: readonly [TestReplica, ...TestReplica[]];
  /** All log lines of the replicas. */
  readonly logged: () => string;
  /** The events that the gateway would read into its audit log. */
  auditEvents(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

const PASSWORD = 'correct horse battery staple';

/** Starts the service on a fresh database, with `count` instances (default 1), and creates an account. */
export async function startOAuthStack(
  stores: TestStores,
  o: Omit<IdentityServiceOptions, 'log'> = {},
): Promise<OAuthStack> {
  const clock = o.clock ?? systemClock;
  const edges = await Promise.all(Array.from({ length: o.count ?? 1 }, () => startForwardingEdge(clock)));
  const publicUrl = o.publicUrl ?? edges[0]?.url ?? '';
  const { log, text } = captureLog();
  const service = await startIdentityService(stores, {
    ...o,
    publicUrl,
    log,
    env: { OAUTH_REGISTRATIONS_PER_HOUR: '1000', OAUTH_MAX_UNUSED_CLIENTS: '1000', ...o.env },
  });
  const { store, callerKeys } = service;
  const replicaOf = (edge: TestEdge, httpUrl: string): TestReplica => {
    edge.passTo({ httpUrl }, callerKeys);
    const call: TestReplica['call'] = async (rpc, request) => {
      const scope = { audience: 'identity', keys: callerKeys };
      const token = signCaller({ kind: 'service', service: 'gateway' }, scope, clock.now());
      const response = await fetch(`${httpUrl}/fairlead.identity.v1.${rpc}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [CALLER_HEADER]: token },
        body: JSON.stringify(request),
      });
      if (!response.ok) throw new Error(`${rpc}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    return { url: edge.url, call, ownerOf: createOwnerOf({ call, publicUrl, clock }) };
  };
  const [firstEdge, ...otherEdges] = edges;
  if (firstEdge === undefined) throw new Error('A stack has one instance at least.');
  const [firstApp, ...otherApps] = service.apps;
  const replicas: OAuthStack['replicas'] = [
    replicaOf(firstEdge, firstApp.httpUrl),
    ...otherApps.flatMap(({ httpUrl }, index) => {
      const edge = otherEdges[index];
      return edge === undefined ? [] : [replicaOf(edge, httpUrl)];
    }),
  ];
  const deps = useCaseDeps(store, { clock });
  const { account, owner } = await createAccount(deps, platformContext, {
    name: 'One',
    ownerEmail: 'owner@one.example',
    ownerPassword: new Secret(PASSWORD),
  });
  return {
    store,
    deps,
    owner: { accountId: account.id, userId: owner.id, email: owner.email, password: PASSWORD },
    publicUrl,
    replicas,
    logged: text,
    async auditEvents() {
      const { changes } = await createChangeLog({ store, clock }).read(platformContext, '', 1_000);
      return changes.map(({ accountId, occurredAt, payload }) => {
        const { $typeName, detailsJson, ...event } = decodeEvent(auditEventRecorded, payload);
        const details = JSON.parse(Buffer.from(detailsJson).toString()) as unknown;
        return { type: $typeName, accountId, occurredAt, ...event, details };
      });
    },
    async close() {
      for (const edge of edges) await edge.close();
      await service.close();
    },
  };
}

/** Creates a member of the owner's account, with the owner's password. */
export async function newPerson(stack: OAuthStack, email: string): Promise<TestPerson> {
  const { id: userId } = await createUser(stack.deps, contextOf(stack.owner), {
    email,
    role: 'member',
    isActive: true,
    password: new Secret(PASSWORD),
  });
  return { accountId: stack.owner.accountId, userId, email, password: PASSWORD };
}

/** Creates a confidential client of the owner's account; by default for client credentials and tools.read. */
export async function newClient(
  stack: OAuthStack,
  client: Partial<NewOAuthClient> = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const { client: made, clientSecret } = await createOAuthClient(stack.deps, contextOf(stack.owner), {
    name: 'Confidential',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    scopes: ['tools.read'],
    ...client,
  });
  return { id: made.id, secret: clientSecret.reveal() };
}

const publishedKeys = z.object({
  keys: z.array(z.object({ kid: z.string(), publicKey: z.base64() })),
});
const resolved = z.object({
  member: z
    .object({
      account: z.object({ id: z.string(), erasingAt: z.string().optional() }),
      // Protobuf's JSON omits false values.
      user: z.object({ id: z.string(), isActive: z.boolean().default(false) }),
    })
    .optional(),
});

function createOwnerOf(o: {
  readonly call: TestReplica['call'];
  readonly publicUrl: string;
  readonly clock: Clock;
}): TestReplica['ownerOf'] {
  const read = createReadAccessToken({
    issuer: `${o.publicUrl}/oauth`,
    async findKey(kid) {
      const { keys } = publishedKeys.parse(await o.call('CredentialService/ListVerificationKeys', {}));
      const found = keys.find((key) => key.kid === kid);
      if (found === undefined) return undefined;
      return createPublicKey({ key: Buffer.from(found.publicKey, 'base64'), format: 'der', type: 'spki' });
    },
    clock: o.clock,
  });
  return async (text) => {
    const token = await read(text);
    if (token === undefined || token.audience !== o.publicUrl) return undefined;
    const { member } = resolved.parse(await o.call('CredentialService/ResolveToken', claimsOf(token)));
    if (member === undefined || member.account.erasingAt !== undefined) return undefined;
    const { account, user } = member;
    return { accountId: account.id, userId: user.id, scopes: token.scopes, isActive: user.isActive };
  };
}

function claimsOf({ accountId, userId, clientId, tokenId, grantId }: AccessToken): object {
  return { accountId, userId, clientId, tokenId, grantId };
}
