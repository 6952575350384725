import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** Runs the container's program once. */
async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    // The error of a process that ended with another code.
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

it('a program is named by SERVICE, and an error says which there are', async () => {
  const missing = await run([]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining('SERVICE: required, but not set'),
  ]);
  const unknown = await run([], { SERVICE: 'toolz' });
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/SERVICE: toolz is unknown; expected one of agents, .*gateway, .*sandbox-crm/),
  ]);
});

it('a service starts in the process itself, so that signals reach it', async () => {
  const { code, stderr } = await run([], { SERVICE: 'catalog' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('catalog: the configuration is not valid')]);
});

it('arguments that are no command are for the program', async () => {
  const { code, stdout } = await run(['--version'], { SERVICE: 'agent' });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+ /)]);
});

it('a command of a service runs with its own arguments', async () => {
  const { code, stderr } = await run(['migrate', 'nonsense'], { SERVICE: 'tools' });
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('contract')]);
  const absent = await run(['seed'], { SERVICE: 'tools' });
  expect([absent.code, absent.stderr]).toEqual([1, 'fairlead: SERVICE: tools has no seed.ts\n']);
});

it('canaries are steered as by the command line', async () => {
  const { code, stdout } = await run(['canary', 'analyse', '--help']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: fairlead canary analyse')]);
  const few = await run(['canary', 'analyse', 'tools', '--callers', 'dns:///127.0.0.1:1']);
  expect([few.code, few.stderr]).toEqual([2, expect.stringContaining('Cannot tell')]);
});

it('the health check follows what the program says of itself', async () => {
  let status = 'NOT_SERVING';
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.writeHead(status === 'SERVING' ? 200 : 503);
    response.end(JSON.stringify({ status }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A listening TCP server has such an address.
  const PORT = String((server.address() as AddressInfo).port);
  const codes = async (): Promise<number[]> => {
    const checks = ['catalog', 'gateway'].map((SERVICE) => run(['healthcheck'], { SERVICE, PORT }));
    return (await Promise.all(checks)).map(({ code }) => code);
  };
  expect(await codes()).toEqual([1, 1]);
  status = 'SERVING';
  expect(await codes()).toEqual([0, 0]);
});

it('init-secrets prints a Secret for each service, and for the sandbox CRM its own', async () => {
  const { stdout } = await run([
    'init-secrets',
    '--release',
    'r',
    '--namespace',
    'ns',
    '--sandbox-crm',
    'http://localhost:8080/',
  ]);
  const secrets = parseAllDocuments(stdout).map(
    (document) =>
      // As the command writes it.
      document.toJS() as {
        metadata: { name: string; namespace: string };
        stringData: Record<string, string>;
      },
  );
  const named = (name: string): Record<string, string> =>
    secrets.find(({ metadata }) => metadata.name === name)?.stringData ?? {};
  expect(secrets).toHaveLength(10);
  expect(new Set(secrets.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['ns']));
  const [client] = JSON.parse(named('r-sandbox-crm')['OAUTH_CLIENTS'] ?? '[]') as {
    clientSecret: string;
    redirectUris: string[];
  }[];
  expect(client?.redirectUris).toEqual(['http://localhost:8080/connect/callback']);
  expect(named('r-connections')['CONNECTOR_OAUTH_CLIENTS']).toContain(client?.clientSecret);
});

it('init-secrets prints the lines of an environment file, in which names differ by service', async () => {
  const { stdout } = await run(['init-secrets', '--env']);
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['CALLER_CONTEXT_KEYS', 'GATEWAY_SEALING_KEYS', 'MCP_SEALING_KEYS']),
  );
});
