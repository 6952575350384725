import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import type { FakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stack } from '../contract/support/api.ts';
import { processOf, processTree } from '../faults/support/processes.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { connect, execute, expectFailure } from './support/meet.ts';
import { othersServedDuring } from './support/observe.ts';

const POLL_MS = 20;
const call = { toolSlug: 'postgresql-run-query', fields: { sql: 'SELECT 1' } };

let bystander: Bystander;
let silent: FakeServer;
let connection = 0;
beforeAll(async () => {
  bystander = await startBystander();
  silent = await startFakeServer({ result: () => undefined });
  const fields = {
    host: '127.0.0.1',
    port: silent.port,
    database: 'd',
    user: 'u',
    password: 'p',
    sslMode: 'disable',
  };
  connection = await connect({ connection: { applicationSlug: 'postgresql', fields } });
  await bystander.untilWell(60_000);
});
afterAll(async () => {
  await bystander.stop();
  await silent.close();
});

/** Resolves to the process below the tools service that is connected to the silent server, once one other than `known` is. */
async function workerAtServer(known?: number): Promise<number> {
  for (;;) {
    const inodes = connectionsTo(silent.port);
    const id = processTree(processOf(stack, 'services/tools/src/main.ts'))
      .slice(1)
      .find((child) => child !== known && socketsOf(child).some((inode) => inodes.has(inode)));
    if (id !== undefined) return id;
    await delay(POLL_MS);
  }
}

/** The inodes of the sockets of this machine that are connected to a port (proc(5), `/proc/net/tcp`). */
function connectionsTo(port: number): ReadonlySet<string> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , address, state]) => address?.endsWith(remote) === true && state === '01')
      .map((columns) => columns[9] ?? ''),
  );
}

function socketsOf(id: number): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${id}/fd/${fd}`))?.[1] ?? [],
    );
  } catch {
    // The process or the socket ended between the listing and the reading.
    return [];
  }
}

it.each<[string, NodeJS.Signals]>([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
])(
  'a worker that is %s fails its call within the deadline, and a new one takes the next',
  async (_name, signal) => {
    const failed = await othersServedDuring(bystander, async () => {
      const answer = execute(connection, call);
      const worker = await workerAtServer();
      process.kill(worker, signal);
      await answer;
      const next = execute(connection, call);
      expect(await workerAtServer(worker)).not.toBe(worker);
      expectFailure(await next, 'did not respond within 5 s');
      return answer;
    });
    expectFailure(failed, '');
  },
);
