import type { Credential } from '@fairlead/connector-runtime/call';
import { OverloadError } from '@fairlead/connector-runtime/failure';
import { McpDiscoveryError } from '@fairlead/connector-runtime/runtime';
import { testContext } from '@fairlead/service-kit/testing/context';
import { busyPermits, onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { apiTokenMethod, connectorHead, newCredential, OWNER } from '../testing/builders.ts';
import { readMcpServer } from './read-mcp-server.ts';

const given = newCredential({
  fields: { plain: { serverUrl: 'https://mcp.example' }, secret: { apiToken: 's3cr3t' } },
  tokens: null,
});
const description = { serverName: 'Files', serverVersion: '1', toolsJson: Buffer.from('[]') };

async function read(
  discover: (credential: Credential) => Promise<typeof description>,
  vendorPermits = onePermit(),
) {
  const runtime = {
    discoverMcpTools: (_h: unknown, _m: unknown, credential: Credential) => discover(credential),
  };
  const method = apiTokenMethod();
  return await readMcpServer({ runtime, vendorPermits }, testContext(OWNER), connectorHead(), method, given);
}

test('the server is called with the credential that is about to be stored', async () => {
  let asked: Credential | undefined;
  const result = await read((credential) => {
    asked = credential;
    return Promise.resolve(description);
  });
  expect(result).toBe(description);
  expect(asked).toMatchObject({ fields: { serverUrl: 'https://mcp.example', apiToken: 's3cr3t' } });
});

test('a server that does not respond as an MCP server is VALIDATION_ERROR on its address, without the secret', async () => {
  const failure = new McpDiscoveryError('refused s3cr3t', { isUnauthorized: true });
  await expect(read(() => Promise.reject(failure))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.serverUrl', issue: 'refused ***' }],
  });
});

test('a server that was not called, because too many calls are running, is to be tried again soon', async () => {
  const failure = new OverloadError('Too many calls are waiting. Nothing was executed.');
  await expect(read(() => Promise.reject(failure))).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1,
  });
});

test('any other failure is not blamed on the address', async () => {
  const failure = new Error('defect');
  await expect(read(() => Promise.reject(failure))).rejects.toBe(failure);
});

test('no server is called for an account whose permits are taken', async () => {
  const isCalled = (): Promise<never> => Promise.reject(new Error('called'));
  await expect(read(isCalled, busyPermits(OWNER.accountId))).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1,
  });
});
