import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import type { AuthProvider } from '@fairlead/contracts/connections/v1/auth_provider_pb';
import type { CreateAuthProviderRequestSchema } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import { AuthProviderService } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import type { CreateConnectionRequestSchema } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import type { Credential } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { signInAndAllow } from '@fairlead/sandbox-crm/testing/form-browser';
import type { TestCrm } from '@fairlead/sandbox-crm/testing/sandbox';
import { startTestCrm, testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import { ManualClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { Connector } from '@fairlead/connector-model/model';
import type { OAuthClient } from '@fairlead/connector-runtime/token-client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import type { JsonObject } from '@fairlead/connector-model/json';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { buildApp } from '../app.ts';
import type { ConnectionsApp } from '../app.ts';
import { connectionsConfig } from '../config.ts';
import type { PageUseCases } from '../pages/bind-use-cases.ts';
import type { VendorRedirect } from '../use-cases/bind-browser.ts';
import type { CompleteSignInCommand } from '../use-cases/complete-sign-in.ts';
import type { TestCatalog } from './test-catalog.ts';
import { startTestCatalog } from './test-catalog.ts';
import { startTestIdentity } from './test-identity.ts';
import type { TestIdentity } from './test-identity.ts';

/** The clients of one instance of the service. */
export interface Instance {
  readonly authProviders: RpcClient<typeof AuthProviderService>;
  readonly connections: RpcClient<typeof ConnectionService>;
  readonly signIns: RpcClient<typeof SignInService>;
  readonly connectSessions: RpcClient<typeof ConnectSessionService>;
  readonly pages: PageUseCases;
  readonly credentials: RpcClient<typeof CredentialService>;
  readonly accountData: RpcClient<typeof AccountDataService>;
  readonly changes: RpcClient<typeof ChangeService>;
}

/** Instances of the service on one database, with a sandbox vendor and a catalog over RPC. */
export interface World {
  readonly crm: TestCrm;
  readonly catalog: TestCatalog;
  readonly identity: TestIdentity;
  readonly clock: ManualClock;
  readonly db: Db;
  /** The first instance, then all of them. */
  readonly instance: Instance;
  readonly instances: readonly Instance[];
  /** The first instance's address for other gRPC clients, and everyone's caller keys. */
  readonly grpcUrl: string;
  readonly callerKeys: KeyRing;
  /** Environment of every instance. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts another instance with further variables. The test closes it. */
  startApp(variables: Record<string, string>): Promise<ConnectionsApp>;
  close(): Promise<void>;
}

/** Nothing listens there: these tests' browsers stop when redirected off the vendor's origin. */
const PUBLIC_URL = 'http://127.0.0.1:9';
/** Redirect URI at vendors. */
export const REDIRECT_URI = `${PUBLIC_URL}/connect/callback`;
/** The connector's own client at the vendor. */
export const ownClient = {
  clientId: 'own-client',
  clientSecret: 'own-client-secret',
  redirectUris: [REDIRECT_URI],
};
/** An account's own client. */
export const otherClient = { ...ownClient, clientId: 'other-client', clientSecret: 'other-client-secret' };

/** Context of a browser's request: without a user. */
export const browserContext = (): RequestContext =>
  testContext({ caller: { kind: 'service', service: 'connections' } });

/**
 * Starts a world with `count` instances of the service. `ownClientMethods`: methods of the sandbox CRM with a client of the operator.
 * `vendors`: further platform applications, with the operator's client for method 0, if any.
 */
export async function startWorld(
  mongodbUri: string,
  o: {
    readonly count?: number;
    readonly ownClientMethods?: readonly number[];
    readonly sealingKeys?: string;
    readonly vendors?: readonly { readonly connector: Connector; readonly client?: OAuthClient }[];
  } = {},
): Promise<World> {
  // Near real time, because the TTL monitor and the vendor use real time.
  const clock = new ManualClock(new Date());
  const callerKeysText = `v1:${randomBytes(32).toString('base64')}`;
  const callerKeys = parseKeyRing(callerKeysText);
  const crm = await startTestCrm({ oauthClients: [ownClient, otherClient], refreshReuseGraceSeconds: 0 });
  const catalog = await startTestCatalog({
    baseUrl: crm.url,
    connectors: (o.vendors ?? []).map(({ connector }) => connector),
    callerKeys,
    clock,
  });
  const identity = await startTestIdentity({ callerKeys, clock });
  const database = `test_${randomBase62(16)}`;
  const { clientId, clientSecret } = ownClient;
  const methods = (o.ownClientMethods ?? [0, 2]).map(
    (id) => [String(id), { clientId, clientSecret }] as const,
  );
  const environment = {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: callerKeysText,
    SHUTDOWN_GRACE_MS: '1000',
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    NATS_URL: inject('natsUrl'),
    IDENTITY_URL: identity.url,
    CATALOG_URL: catalog.url,
    RPC_TRANSPORT: testTransport,
    PUBLIC_URL,
    SEALING_KEYS: o.sealingKeys ?? `v1:${randomBytes(32).toString('base64')}`,
    CONNECTOR_OAUTH_CLIENTS: JSON.stringify({
      'sandbox-crm': Object.fromEntries(methods),
      ...Object.fromEntries(
        (o.vendors ?? []).flatMap(({ connector, client }) =>
          client === undefined ? [] : [[connector.slug, { 0: client }]],
        ),
      ),
    }),
    EGRESS_ALLOW: '127.0.0.1',
  };
  const startApp = (variables: Record<string, string>): Promise<ConnectionsApp> =>
    buildApp(loadConfig(connectionsConfig, { ...environment, ...variables }), { clock });
  const apps = await Promise.all(Array.from({ length: o.count ?? 1 }, () => startApp({})));
  const started = apps.map((app) => ({ app, peer: testPeer('connections', app) }));
  const instances = started.map(({ app: { pageUseCases }, peer }) => {
    const options = { peer, callerKeys, clock };
    return {
      authProviders: createRpcClient(AuthProviderService, options),
      connections: createRpcClient(ConnectionService, options),
      signIns: createRpcClient(SignInService, options),
      connectSessions: createRpcClient(ConnectSessionService, options),
      pages: pageUseCases,
      credentials: createRpcClient(CredentialService, options),
      accountData: createRpcClient(AccountDataService, options),
      changes: createRpcClient(ChangeService, options),
    };
  });
  const [instance] = instances;
  const [app] = apps;
  if (instance === undefined || app === undefined) throw new Error('A world has at least one instance.');
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(database);
  return {
    crm,
    catalog,
    identity,
    clock,
    db,
    instance,
    instances,
    grpcUrl: app.grpcUrl,
    callerKeys,
    environment,
    startApp,
    async close() {
      await Promise.all(started.map(({ peer }) => peer.close()));
      await Promise.all(apps.map((app) => app.close()));
      await db.dropDatabase();
      await mongo.close();
      await catalog.close();
      await identity.close();
      await crm.close();
    },
  };
}

/** A connection with its JSON parsed. */
export interface ParsedConnection extends Connection {
  readonly fields: JsonObject;
  readonly metadata: JsonObject;
}

/** Returns the response's connection; fails the test if there is none. */
export function shown(connection: Connection | undefined): ParsedConnection {
  const { fieldsJson, metadataJson } = required(connection);
  return {
    ...required(connection),
    fields: new LazyJson(fieldsJson).parseObject(),
    metadata: new LazyJson(metadataJson).parseObject(),
  };
}

/** Creates a connection to the sandbox CRM, by default with an API key. */
export async function create(
  world: World,
  ctx: RequestContext,
  {
    fields = { apiToken: testConfig.apiToken },
    metadata = {},
    ...request
  }: Omit<MessageInitShape<typeof CreateConnectionRequestSchema>, '$typeName'> & {
    readonly fields?: LazyObject;
    readonly metadata?: LazyObject;
  } = {},
): Promise<ParsedConnection> {
  const { connection } = await world.instance.connections.createConnection(ctx, {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM',
    fieldsJson: membersOf(fields),
    metadataJson: jsonBytes(metadata),
    ...request,
  });
  return shown(connection);
}

/** Creates an auth provider with the account's client for the sandbox CRM, by default for sign-ins. */
export async function createCrmAuthProvider(
  world: World,
  ctx: RequestContext,
  request: MessageInitShape<typeof CreateAuthProviderRequestSchema> = {},
): Promise<AuthProvider> {
  const { authProvider } = await world.instance.authProviders.createAuthProvider(ctx, {
    name: 'Ours',
    applicationSlug: 'sandbox-crm',
    authenticationId: 0,
    isEnabled: true,
    values: { Key1: otherClient.clientId, Key2: otherClient.clientSecret },
    ...request,
  });
  return required(authProvider);
}

/** Starts a sign-in at the sandbox CRM and returns its state. */
export async function startCrmSignIn(world: World, ctx: RequestContext): Promise<string> {
  const request = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
  return (await world.instance.signIns.startSignIn(ctx, request)).state;
}

/** Completes a sign-in on the vendor's pages; returns the callback without delivering it. */
export async function authorize(world: World, state: string): Promise<CompleteSignInCommand> {
  const redirect = await world.instance.pages.bindBrowser(browserContext(), state);
  return callbackTo(await signInAndAllow(redirect.authorizeUrl, testConfig.user), { state, ...redirect });
}

/** The callback that the browser would deliver at `url`. */
export function callbackTo(
  url: URL,
  { state, browserBinding }: Pick<VendorRedirect, 'browserBinding'> & { readonly state: string },
): CompleteSignInCommand {
  const [, callbackSegment = ''] = url.pathname.split('/connect/callback/');
  return { state, browserBinding, callbackQuery: new Secret(url.search.slice(1)), callbackSegment };
}

/** Signs in at the sandbox CRM and returns the state of the authorised sign-in. */
export async function signIn(world: World, ctx: RequestContext): Promise<string> {
  const state = await startCrmSignIn(world, ctx);
  await world.instance.pages.completeSignIn(browserContext(), await authorize(world, state));
  return state;
}

export async function createBySignIn(world: World, ctx: RequestContext): Promise<ParsedConnection> {
  return await create(world, ctx, { authenticationId: 0, fields: {}, oauthState: await signIn(world, ctx) });
}

/** Returns the opened credential of a connection; fails the test if there is none. */
export async function credentialOf(
  instance: Instance,
  ctx: RequestContext,
  connectionId: number,
  rejectedVersion?: bigint,
): Promise<Credential & { readonly fields: JsonObject }> {
  const rejected = rejectedVersion === undefined ? {} : { rejectedVersion };
  const { outcome } = await instance.credentials.getCredentials(ctx, { connectionId, ...rejected });
  if (outcome.case !== 'credential') throw new Error(`no credential: ${String(outcome.value)}`);
  return { ...outcome.value, fields: new LazyJson(outcome.value.fieldsJson).parseObject() };
}

/** Number of token requests to the vendor, by grant type. */
export async function tokenCalls(world: World): Promise<Record<string, number>> {
  const { body } = await world.crm.admin('/state');
  // The sandbox CRM defines the shape; its own tests check it.
  return (body as { counters: { tokenCalls: Record<string, number> } }).counters.tokenCalls;
}

/** Returns the value; fails the test if it is undefined. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
