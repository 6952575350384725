import { refusal, startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { invoke } from './invoke.ts';
import type { CommandResult, InvokeOptions } from './invoke.ts';

let server: ApiServer | undefined;

/** Stops the servers that `call` has started; after each test. */
export async function stop(): Promise<void> {
  await server?.close();
  server = undefined;
}

/** The requests that the last `call` has sent. */
export const received = (): readonly ReceivedRequest[] => server?.received ?? [];

/** A connection, as the API shows it. */
export const CONNECTION = {
  id: 7,
  connectionName: 'My CRM',
  description: null,
  applicationSlug: 'crm',
  applicationName: 'CRM',
  kind: 'Regular',
  authenticationId: 1,
  authenticationName: 'API key',
  authProviderId: null,
  endUserId: null,
  isDefault: true,
  status: 'Active',
  statusReason: null,
  licence: { status: 'active', expiresAt: null },
  createdAt: '2026-11-21T10:11:12.000Z',
  updatedAt: '2026-11-21T10:11:12.000Z',
};
const FIELD = {
  label: 'A field',
  type: 'string',
  isRequired: false,
  isPassword: false,
  maskInLogs: false,
  providerSlot: null,
  atSignIn: false,
};
const APPLICATION = {
  slug: 'crm',
  name: 'CRM',
  authenticationMethods: [
    {
      authenticationId: 0,
      authenticationName: 'OAuth 2.0',
      requiresOAuthSignIn: true,
      isDefault: false,
      fields: [
        { ...FIELD, name: 'clientSecret', isRequired: true, isPassword: true, providerSlot: 'Key2' },
        { ...FIELD, name: 'subdomain', isRequired: true, atSignIn: true },
        { ...FIELD, name: 'workspace', type: 'select' },
      ],
    },
    {
      authenticationId: 1,
      authenticationName: 'API key',
      requiresOAuthSignIn: false,
      isDefault: true,
      fields: [
        { ...FIELD, name: 'apiToken', label: 'API token', isRequired: true, isPassword: true },
        { ...FIELD, name: 'signature', label: 'Signature', maskInLogs: true },
        { ...FIELD, name: 'region' },
        { ...FIELD, name: 'retries', type: 'number' },
        { ...FIELD, name: 'isSandbox', type: 'boolean' },
        { ...FIELD, name: 'extra', type: 'json' },
      ],
    },
    {
      authenticationId: 2,
      authenticationName: 'Client credentials',
      requiresOAuthSignIn: false,
      isDefault: false,
      fields: [
        { ...FIELD, name: 'clientId', isRequired: true, providerSlot: 'Key1' },
        { ...FIELD, name: 'clientSecret', isRequired: true, isPassword: true, providerSlot: 'Key2' },
      ],
    },
  ],
};
/** The address at which the person signs in. */
export const SIGN_IN_URL = 'https://fairlead.example.com/connect/start/state-1';

/** Responds as the API does; the sign-in is completed after `polls` polls have found it pending. */
export function api({ polls = 0 } = {}): (request: ReceivedRequest) => Reply {
  let pending = polls;
  return ({ method, path }) => {
    const { pathname } = new URL(path, 'http://localhost');
    switch (`${method} ${pathname}`) {
      case 'GET /v1/applications/crm':
        return { status: 200, body: APPLICATION };
      case 'POST /v1/connections/get-sign-in-url':
        return { status: 200, body: { signInUrl: SIGN_IN_URL, state: 'state-1' } };
      case 'GET /v1/connections/access-token/state-1': {
        pending -= 1;
        const completed = { status: 'completed', connectionData: { suggestedName: 'CRM of Ada' } };
        return { status: 200, body: pending >= 0 ? null : completed };
      }
      case 'POST /v1/connections':
        return { status: 201, body: CONNECTION };
      default:
        return refusal(404, 'NOT_FOUND');
    }
  };
}

/** Runs a command against a server that responds this way. */
export async function call(
  argv: string[],
  reply: Reply | ((request: ReceivedRequest) => Reply),
  options: InvokeOptions = {},
): Promise<CommandResult> {
  await server?.close();
  server = await startApiServer((request) =>
    typeof reply === 'function' ? (reply as (request: ReceivedRequest) => Reply)(request) : reply,
  );
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_API_KEY: 'fairlead_account_key',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
  };
  return invoke(argv, { ...options, environment });
}

/** The requests of the last `call`, with their bodies. */
export const sent = (): { line: string; body: unknown }[] =>
  received().map(({ method, path, body }) => ({
    line: `${method} ${path}`,
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }));
