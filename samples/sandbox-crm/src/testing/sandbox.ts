import { startSandboxCrm } from '../app.ts';
import type { SandboxCrm } from '../app.ts';
import type { SandboxCrmConfig } from '../config.ts';

/** Redirect address of the test clients; nothing listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** An OAuth client with a name that must be escaped in pages and a secret that must be encoded in Basic authentication. */
export const connectorClient = {
  clientId: 'connector',
  clientSecret: 'connector secret/+:%',
  redirectUris: [REDIRECT_URI],
  name: 'The <Connector>',
};

/** A second OAuth client. */
export const providerClient = {
  clientId: 'provider',
  clientSecret: 'provider-secret',
  redirectUris: [REDIRECT_URI],
};

/** Settings of a vendor that logs nothing, in memory, on a free port. */
export const testConfig = {
  port: 0,
  apiToken: 'test-api-token',
  adminKey: 'test-admin-key',
  user: { email: 'sam@harbour.example', password: 'correct horse' },
  oauthClients: [connectorClient, providerClient],
  logLevel: 'silent',
} satisfies SandboxCrmConfig;

/** A JSON response, whose body the test still has to check. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A vendor for one test, with functions to call it. */
export interface TestCrm extends SandboxCrm {
  /** Calls `/api<path>` with the API token, unless `headers` has another credential. */
  api(
    method: string,
    path: string,
    o?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Calls `/admin/api<path>` with the admin key; by POST if there is a body. */
  admin(path: string, body?: unknown): Promise<Answer>;
}

/** Starts a vendor with {@link testConfig} and `overrides`. */
export async function startTestCrm(overrides: Partial<SandboxCrmConfig> = {}): Promise<TestCrm> {
  const crm = await startSandboxCrm({ ...testConfig, ...overrides });
  return {
    ...crm,
    async api(method, path, { body, headers = { 'x-api-token': testConfig.apiToken } } = {}) {
      return call(`${crm.url}/api${path}`, method, headers, body);
    },
    async admin(path, body) {
      const method = body === undefined ? 'GET' : 'POST';
      return call(`${crm.url}/admin/api${path}`, method, { 'x-admin-key': testConfig.adminKey }, body);
    },
  };
}

async function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
