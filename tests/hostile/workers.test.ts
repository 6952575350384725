import { startFakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import type { FakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stack } from '../contract/support/api.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { connect, execute, expectFailure } from './support/meet.ts';
import { othersServedDuring } from './support/observe.ts';
import { workerConnectedTo } from './support/worker-process.ts';

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

it.each<[string, NodeJS.Signals]>([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
])(
  'a worker that is %s fails its call within the deadline, and a new one takes the next',
  async (_name, signal) => {
    const failed = await othersServedDuring(bystander, async () => {
      const answer = execute(connection, call);
      const worker = await workerConnectedTo(stack, silent.port);
      process.kill(worker, signal);
      await answer;
      const next = execute(connection, call);
      expect(await workerConnectedTo(stack, silent.port, worker)).not.toBe(worker);
      expectFailure(await next, 'did not respond within 5 s');
      return answer;
    });
    expectFailure(failed, '');
  },
);
