import { describe, expect, it } from 'vitest';
import type { CredentialCheck } from '@fairlead/connector-runtime/call';
import {
  testConnector,
  testCredential,
  testMethod,
  testOptions,
} from '@fairlead/connector-runtime/testing/calls';
import { testRuntime, testVendor } from '@fairlead/connector-runtime/testing/vendor';
import { connectorHandlers } from '../handlers.ts';

function check(baseUrl: string): Promise<CredentialCheck> {
  const method = testMethod(
    { type: 'bearer', token: '{{field.token}}' },
    { test: { type: 'handler', handler: 'testConnection' } },
  );
  const connector = testConnector({ slug: 'http', name: 'HTTP' });
  const credential = testCredential({ baseUrl, token: 'opensesame' });
  return testRuntime(connectorHandlers).testCredential(connector, method, credential, testOptions());
}

describe('testConnection', () => {
  it.each([200, 302, 403, 404, 500])('accepts an API that responds with %i', async (status) => {
    const { server } = await testVendor(() => ({ status }));
    expect(await check(`${server.url}/v1`)).toEqual({ isSuccess: true });
    expect(server.requests).toMatchObject([
      { method: 'GET', path: '/v1', headers: { authorization: 'Bearer opensesame' } },
    ]);
  });

  it('fails when the API refuses the credential', async () => {
    const { server } = await testVendor(() => ({ status: 401 }));
    expect(await check(server.url)).toMatchObject({ isSuccess: false, isUnauthorized: true });
  });

  it('fails without an API at the base URL', async () => {
    expect(await check('http://127.0.0.1:1/')).toMatchObject({ isSuccess: false, isUnauthorized: false });
    expect(await check('nonsense')).toMatchObject({
      isSuccess: false,
      errorMessage: 'The base URL of the connection must be an http or https URL.',
    });
  });
});
