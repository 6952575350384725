import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { refusal, startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { invoke } from '../testing/invoke.ts';
import type { CommandResult } from '../testing/invoke.ts';

const CANARY = {
  service: 'tools',
  mode: 'gateway',
  weight: 10,
  isAborted: false,
  image: 'v2',
  rule: { weight: 10, accounts: [], headers: [] },
  change: { by: 'operator', at: '2026-11-29T12:00:00.000Z' },
  processes: [
    { service: 'gateway', instance: 'g-1/a', track: 'stable', weight: 10, canaryAddresses: 1 },
    { service: 'mcp', instance: 'm-1/b', track: 'stable', weight: 0, canaryAddresses: 1 },
  ],
};
const changed = (members: object = {}): Reply => ({
  status: 200,
  body: { ...CANARY, laggingProcesses: [], ...members },
});

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function call(argv: string[], reply: Reply, onWait?: () => void): Promise<CommandResult> {
  server = await startApiServer(() => reply);
  const environment = {
    FAIRLEAD_URL: server.url,
    FAIRLEAD_OPERATOR_KEY: 'operator-key',
    FAIRLEAD_CONFIG_DIR: '/nowhere',
  };
  return invoke(['canary', ...argv], { environment, ...(onWait && { onWait }) });
}

const sent = (): readonly [string | undefined, string | undefined, string | undefined] => {
  const last: ReceivedRequest | undefined = server?.received.at(-1);
  return [last?.method, last?.path, last?.body];
};

it('status lists the canaries and who does not obey', async () => {
  const page = {
    items: [CANARY, { ...CANARY, service: 'mcp', isAborted: true, processes: [] }],
    totalCount: 2,
  };
  const { code, out } = await call(['status'], { status: 200, body: { ...page, offset: 0, top: 100 } });
  expect(code).toBe(0);
  expect(out).toMatch(/^SERVICE +MODE +WEIGHT +IMAGE/);
  expect(out).toMatch(/tools +gateway +10 % +v2 +operator .*1 of 2/);
  expect(out).toMatch(/mcp +gateway +aborted/);
  expect(out).toContain('mcp m-1/b sends 0 % to the canary of tools.');
});

it('set sends the weight; a process that does not obey is a failure', async () => {
  expect((await call(['set', 'tools', '12.5'], changed())).code).toBe(0);
  expect(sent()).toEqual(['PATCH', '/operator/v1/canaries/tools', '{"weight":12.5}']);
  await server?.close();
  const lagging = { laggingProcesses: [CANARY.processes[1]] };
  const { code, err } = await call(['set', 'tools', '5'], changed(lagging));
  expect([code, err]).toEqual([1, 'fairlead: These processes do not obey yet: mcp m-1/b.\n']);
});

it('the operator key may be in a file', async () => {
  server = await startApiServer(() => changed());
  const file = join(await temporaryFolder(), 'key');
  await writeFile(file, 'from-the-file\n');
  const environment = { FAIRLEAD_URL: server.url, FAIRLEAD_OPERATOR_KEY_FILE: file };
  expect((await invoke(['canary', 'abort', 'tools'], { environment })).code).toBe(0);
  expect(server.received.at(-1)?.headers['x-api-key']).toBe('from-the-file');
});

it.each(['101', '-1', 'x', '1e1'])('%s is no weight', async (weight) => {
  expect((await call(['set', 'tools', '--', weight], changed())).code).toBe(2);
  expect(server?.received).toEqual([]);
});

it('promote prints the values; abort aborts', async () => {
  const values = { services: { tools: { image: { tag: 'v2' }, canary: { mode: 'none' } } } };
  const { out } = await call(['promote', 'tools'], changed({ weight: 100, values }));
  expect(out).toContain('"tag": "v2"');
  expect(sent().slice(0, 2)).toEqual(['POST', '/operator/v1/canaries/tools/promote']);
  await server?.close();
  expect((await call(['abort', 'tools'], changed({ isAborted: true }))).code).toBe(0);
  expect(sent().slice(0, 2)).toEqual(['POST', '/operator/v1/canaries/tools/abort']);
  await server?.close();
  const { code, err } = await call(['abort', 'x'], refusal(404, 'NOT_FOUND'));
  expect([code, err]).toEqual([4, expect.stringContaining('NOT_FOUND')]);
});

describe('analyse', () => {
  /** A caller whose counters are replaced during the wait. */
  async function caller(before: string | undefined, after: string) {
    let page = before;
    const metrics = createServer((_request, response) => {
      response.statusCode = page === undefined ? 503 : 200;
      response.end(page);
    }).listen(0, '127.0.0.1');
    await once(metrics, 'listening');
    onTestFinished(() => void metrics.close());
    const { port } = metrics.address() as AddressInfo;
    return { name: `http://127.0.0.1:${port}`, proceed: (): void => void (page = after) };
  }
  const lines = (track: string, code: string, count: number, sum: number): string => {
    const labels = `{service="fairlead.tools.v1.ExecutionService",method="Execute",code="${code}",track="${track}"}`;
    return `rpc_client_duration_seconds_sum${labels} ${sum}\nrpc_client_duration_seconds_count${labels} ${count}\n`;
  };

  it('a canary that is not worse is 0', async () => {
    const { name, proceed } = await caller(
      lines('stable', 'OK', 1000, 900),
      lines('stable', 'OK', 1100, 910) + lines('canary', 'OK', 60, 6),
    );
    const { code, out, err } = await call(
      ['analyse', 'tools', '--callers', name, '--abort'],
      changed(),
      proceed,
    );
    expect([code, err]).toEqual([0, 'Comparing the calls of 1 replicas for 60 s.\n']);
    expect(out).toMatch(/stable +100 +0 +0.00 % +100.0 ms\ncanary +60 +0 +0.00 % +100.0 ms/);
    expect(server?.received).toEqual([]);
  });

  it('a canary that fails every second call is 1, and is aborted if asked', async () => {
    const after =
      lines('stable', 'OK', 100, 10) + lines('canary', 'OK', 30, 3) + lines('canary', 'UNAVAILABLE', 30, 3);
    const first = await caller('', after);
    const asked = await call(
      ['analyse', 'tools', '--callers', first.name, '--abort'],
      changed(),
      first.proceed,
    );
    expect(asked.code).toBe(1);
    expect(asked.err).toContain('The canary is worse, and is aborted: 50.00 % of the canary’s calls fail');
    expect(sent().slice(0, 2)).toEqual(['POST', '/operator/v1/canaries/tools/abort?by=analysis']);
    await server?.close();
    const second = await caller('', after);
    const unasked = await call(['analyse', 'tools', '--callers', second.name], changed(), second.proceed);
    expect([unasked.code, server?.received]).toEqual([1, []]);
  });

  it('too few calls, or no caller, is 2', async () => {
    const { name, proceed } = await caller('', lines('stable', 'OK', 100, 10) + lines('canary', 'OK', 49, 5));
    const few = await call(['analyse', 'tools', '--callers', name, '--abort'], changed(), proceed);
    expect([few.code, few.err]).toEqual([2, expect.stringContaining('49 calls of canary, fewer than 50')]);
    expect((await call(['analyse', 'tools', '--callers', name, '--allow-few-calls'], changed())).code).toBe(
      0,
    );
    await server?.close();
    const none = await call(['analyse', 'tools', '--callers', 'dns:///127.0.0.1:1'], changed());
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('no caller answers')]);
  });

  it('a caller whose counts were not read at the beginning counts nothing: they may be of an earlier canary', async () => {
    const first = await caller('', lines('stable', 'OK', 100, 10) + lines('canary', 'OK', 60, 6));
    const second = await caller(undefined, lines('canary', 'UNAVAILABLE', 900, 90));
    const { code, out } = await call(
      ['analyse', 'tools', '--callers', `${first.name},${second.name}`],
      changed(),
      () => [first, second].forEach(({ proceed }) => proceed()),
    );
    expect(out).toMatch(/canary +60 +0 /);
    expect(code).toBe(0);
  });

  it.each(['tools', 'dns:///tools', 'https://tools:9090'])('%s is no caller', async (name) => {
    expect((await call(['analyse', 'tools', '--callers', name], changed())).code).toBe(2);
  });
});
