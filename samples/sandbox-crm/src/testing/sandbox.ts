import { startSandboxCrm } from '../app.ts';
import type { SandboxCrm } from '../app.ts';
import type { SandboxCrmConfig } from '../config.ts';

/** Where the test clients' sign-ins return to; nothing listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** An OAuth client whose name needs escaping in pages and whose secret needs encoding in Basic authentication. */
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

/** Settings of a silent vendor in memory on a free port. */
export const testConfig = {
  port: 0,
  apiToken: 'test-api-token',
  adminKey: 'test-admin-key',
  user: { email: 'sam@harbour.example', password: 'correct horse' },
  oauthClients: [connectorClient, providerClient],
  logLevel: 'silent',
} satisfies SandboxCrmConfig;

/** A JSON answer, its body still to be checked by the test. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A vendor of a test's own, with short ways to call it. */
export interface TestCrm extends SandboxCrm {
  /** Calls `/api<path>` with the API token, unless `headers` has another credential. */
  api(
    method: string,
    path: string,
    o?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Calls `/admin/api<path>` with the admin key; POST where there is a body. */
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
