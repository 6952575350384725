import type {
  AuthenticationMethod,
  ConnectorHead,
  FieldDescriptor,
  OAuth2Scheme,
} from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import { Secret } from '@fairlead/service-kit/secret';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectSession } from '../domain/connect-session.ts';
import { shownFields } from '../domain/connection.ts';
import type { Connection, ConnectionView } from '../domain/connection.ts';
import { NO_VALUES } from '../domain/credential.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import type { CompletedSignIn, RedeemableSignIn, SignInHead } from '../domain/sign-in.ts';
import type { AuthProvider, AuthProviderWithSecrets } from '../domain/auth-provider.ts';
import type { NewConnection, NewCredential } from '../ports/connection-store.ts';
import type { NewConnectSession } from '../ports/connect-session-store.ts';

/** The time at which all records here were created. */
export const NOW = new Date('2026-11-21T12:00:00.000Z');
/** The account and user to which all records here belong. */
export const OWNER = { accountId: 'acc_1', userId: 'usr_1' } as const;

/** Details with only a name. */
export function details(over: Partial<ConnectionDetails> = {}): ConnectionDetails {
  return { connectionName: 'CRM', description: null, metadata: LazyJson.of({}), ...over };
}

const application = { applicationSlug: 'crm', applicationName: 'CRM' } as const;
const identity = {
  id: 7,
  accountId: OWNER.accountId,
  endUserId: null,
  ...application,
  kind: 'Regular',
  authenticationId: 0,
  authenticationName: 'OAuth',
  grant: 'authorizationCode',
  needsReauthentication: false,
  licence: { status: 'active', expiresAt: null },
  createdAt: NOW,
} as const;

/** An active, signed-in connection, the default of its application. */
export function connection(over: Partial<Connection> = {}): Connection {
  return {
    ...identity,
    ...details(),
    authProviderId: 0,
    isDefault: true,
    fields: {},
    secretFields: [],
    fieldOptions: {},
    credentialVersion: 1,
    credentialRevision: 1,
    addressRevision: null,
    updatedAt: NOW,
    ...over,
  };
}

/** An active, signed-in connection, as a list shows it. */
export function listedConnection(over: Partial<Connection> = {}): ConnectionView {
  const { fields, fieldOptions: _options, ...same } = connection(over);
  return { ...same, shownFields: LazyJson.of(shownFields({ fields, ...same })) };
}

/** A signed-in connection that is about to be stored. */
export function newConnection(over: Partial<NewConnection> = {}): NewConnection {
  return { ...identity, ...details(), credential: newCredential(), ...over };
}

/** A credential with a plain and a secret field, and with tokens. */
export function newCredential(over: Partial<NewCredential> = {}): NewCredential {
  return {
    fields: { plain: { host: 'h' }, secret: { password: 'p' } },
    fieldOptions: {},
    tokens: tokens(),
    authProviderId: 0,
    addressRevision: null,
    consumes: null,
    ...over,
  };
}

/** Tokens that live for an hour, obtained at NOW. */
export function tokens(over: Partial<Tokens> = {}): Tokens {
  return {
    accessToken: new Secret('access'),
    refreshToken: new Secret('refresh'),
    obtainedAt: NOW,
    expiresAt: new Date(NOW.getTime() + 3_600_000),
    captured: NO_VALUES,
    ...over,
  };
}

/** Method 0 as oauthMethod; its client may come from an auth provider. */
export function providerMethod(): AuthenticationMethod {
  const scheme = oauth2Scheme({
    clientIdField: 'clientId',
    clientSecretField: 'clientSecret',
    allowsAuthProvider: true,
  });
  return oauthMethod({
    fields: [
      field('clientId', { label: 'Client id', isRequired: true, providerSlot: 'Key1' }),
      field('clientSecret', { label: 'Secret', isRequired: true, isPassword: true, providerSlot: 'Key2' }),
    ],
    scheme,
  });
}

/** An enabled auth provider for method 0 with a client id and a client secret. */
export function openedProvider(
  over: Partial<AuthProvider> = {},
  secrets: Readonly<Record<string, string>> = { Key2: 'provider-s3cr3t' },
): AuthProviderWithSecrets {
  const provider = {
    id: 3,
    accountId: OWNER.accountId,
    name: 'Ours',
    applicationSlug: application.applicationSlug,
    authenticationId: 0,
    isDefault: false,
    isEnabled: true,
    values: { Key1: 'provider-id' },
    secretSlots: Object.keys(secrets),
    scopes: null,
    lastError: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...over,
  };
  return { provider, secrets: new Secret(secrets) };
}

/** The account's auth providers: the given one, or none, and one deleted; `errors` are the recorded last errors. */
export function heldProviders(held?: AuthProviderWithSecrets, retired?: AuthProviderWithSecrets) {
  const errors: (string | null)[] = [];
  return {
    errors,
    open: (_ctx: unknown, accountId: string, by: object) => {
      const isMeant =
        held !== undefined &&
        accountId === held.provider.accountId &&
        ('defaultOf' in by
          ? held.provider.isDefault
          : Object.values(by).every((value) => value === held.provider.id || value === held.provider.name));
      return Promise.resolve(isMeant ? held : undefined);
    },
    openRetired: (_ctx: unknown, _accountId: string, id: number) =>
      Promise.resolve(retired?.provider.id === id ? retired : undefined),
    saveLastError: (_ctx: unknown, _accountId: string, _id: number, lastError: string | null) => {
      errors.push(lastError);
      return Promise.resolve();
    },
  };
}

/** The authorization server of an MCP server. */
export function discoveredServer(over: Partial<DiscoveredServer> = {}): DiscoveredServer {
  return {
    serverUrl: 'https://mcp.example/mcp',
    issuer: 'https://login.example',
    authorizationUrl: 'https://login.example/authorize',
    tokenUrl: 'https://login.example/token',
    revocationUrl: null,
    statesIssuer: true,
    resource: 'https://mcp.example/mcp',
    scopes: ['files:read'],
    clientId: 'registered',
    clientAuthentication: 'basic',
    ...over,
  };
}

/** Registered clients without any; `forgotten` records removals. */
export function registeredClients() {
  const forgotten: string[] = [];
  return {
    forgotten,
    find: () => Promise.resolve(undefined),
    save: () => Promise.resolve(),
    forget: (_ctx: unknown, _accountId: string, _issuer: string, clientId: string) => {
      forgotten.push(clientId);
      return Promise.resolve();
    },
  };
}

/** The application `crm`: method 0, the default, is an OAuth sign-in; method 1 is an API token. */
export function connectorHead(over: Partial<ConnectorHead> = {}): ConnectorHead {
  return {
    slug: application.applicationSlug,
    name: application.applicationName,
    description: '',
    categories: [],
    kind: 'Regular',
    logoUrl: null,
    isMcpEnabled: true,
    supportsObjectSelection: false,
    maturity: 'verified',
    version: '1.0.0',
    settings: [],
    baseUrl: null,
    authenticationMethods: [oauthMethod(), apiTokenMethod()],
    headers: {},
    errorMessagePointers: [],
    rateLimit: null,
    agentSettings: null,
    ...over,
  };
}

/** Method 0: a sign-in without choices. */
export function oauthMethod(over: Partial<AuthenticationMethod> = {}): AuthenticationMethod {
  return {
    authenticationId: 0,
    authenticationName: 'OAuth',
    isDefault: true,
    fields: [],
    scheme: oauth2Scheme(),
    test: null,
    baseUrl: null,
    translations: {},
    ...over,
  };
}

/** Method 1: the one field `apiToken`, a secret. */
export function apiTokenMethod(over: Partial<AuthenticationMethod> = {}): AuthenticationMethod {
  return {
    authenticationId: 1,
    authenticationName: 'API token',
    isDefault: false,
    fields: [field('apiToken', { isRequired: true, isPassword: true })],
    scheme: { type: 'bearer', token: '{{field.apiToken}}' },
    test: null,
    baseUrl: null,
    translations: {},
    ...over,
  };
}

/** An optional text field. */
export function field(name: string, over: Partial<FieldDescriptor> = {}): FieldDescriptor {
  return {
    name,
    label: name,
    description: '',
    type: 'string',
    isRequired: false,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: [],
    providerSlot: null,
    dynamicOptions: null,
    atSignIn: false,
    capturedFrom: null,
    pattern: null,
    allowedHosts: [],
    help: null,
    helpUrl: null,
    translations: {},
    ...over,
  };
}

/** A sign-in by authorization code with PKCE. */
export function oauth2Scheme(over: Partial<OAuth2Scheme> = {}): OAuth2Scheme {
  return {
    ...defineOAuth2Scheme({
      grant: 'authorizationCode',
      authorizationUrl: 'https://vendor.example/auth',
      tokenUrl: 'https://vendor.example/token',
    }),
    ...over,
  };
}

/** The head of a sign-in to the application `crm`. */
export function signInHead(over: Partial<SignInHead> = {}): SignInHead {
  return {
    ...OWNER,
    ...application,
    state: '0192f0c1-2345-4678-9abc-def012345678',
    authenticationId: 0,
    connectSessionId: null,
    authProviderId: 0,
    addressRevision: null,
    authorizeUrl: 'https://vendor.example/auth?client_id=id',
    redirectUri: 'https://api.example/connect/callback',
    isPushed: false,
    issuer: null,
    scopes: ['contacts.read'],
    createdAt: NOW,
    expiresAt: new Date(NOW.getTime() + 300_000),
    ...over,
  };
}

/** A sign-in whose code is about to be redeemed. */
export function redeemableSignIn(over: Partial<SignInHead> = {}): RedeemableSignIn {
  return { ...signInHead(over), codeVerifier: new Secret('verifier'), given: NO_VALUES };
}

/** An authorised sign-in. */
export function completedSignIn(over: Partial<CompletedSignIn['outcome']> = {}): CompletedSignIn {
  return {
    ...signInHead(),
    status: 'completed',
    given: NO_VALUES,
    outcome: { tokens: tokens(), suggestedName: 'CRM', grantedScopes: [], fieldOptions: {}, ...over },
  };
}

/** A session of end user `customer-1` with all applications, open for half an hour. */
export function connectSession(over: Partial<ConnectSession> = {}): ConnectSession {
  return {
    id: 'cs_1',
    ...OWNER,
    endUserId: 'customer-1',
    mayUseProviders: false,
    applicationSlugs: [],
    connectionId: null,
    redirectUrl: null,
    allowedOrigins: ['https://app.example'],
    locale: null,
    theme: { mode: 'auto', primaryColor: null, logoUrl: null },
    metadata: LazyJson.of({}),
    licenceStatus: 'active',
    maxConnections: 20,
    keyId: null,
    connections: [],
    lastError: null,
    endedAt: null,
    endedBy: null,
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: new Date(NOW.getTime() + 1_800_000),
    ...over,
  };
}

/** A connect session about to be stored; by default open for half an hour. */
export function newConnectSession(over: Partial<NewConnectSession> = {}): NewConnectSession {
  const {
    connections: _none,
    lastError: _noError,
    endedAt: _notEnded,
    endedBy: _nobody,
    updatedAt: _same,
    ...session
  } = connectSession();
  const createdAt = over.createdAt ?? new Date();
  const expiresAt = new Date(createdAt.getTime() + 1_800_000);
  return { ...session, createdAt, expiresAt, tokenHash: over.id ?? session.id, ...over };
}
