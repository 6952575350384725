// `npm run hostile -- recovery`: starts a stack and measures how soon a new worker serves an account after its worker was killed, and after
// it was stopped. Exits with 1 if either median is a second or more.
import { parseArgs } from 'node:util';
import { startFakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import { createAccount, removeAccount } from '../bench/accounts.ts';
import { median } from '../bench/statistics.ts';
import { createAttacker } from './support/attacker.ts';
import { startHostileStack } from './support/hostile-stack.ts';
import { workerConnectedTo } from './support/worker-process.ts';

const MAX_MS = 1_000;
const call = { toolSlug: 'postgresql-run-query', fields: { sql: 'SELECT 1' } };

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

const { stack, stop } = await startHostileStack();
const silent = await startFakeServer({ result: () => undefined });
try {
  const server = { host: '127.0.0.1', port: silent.port, database: 'd', user: 'u', password: 'p' };
  const connection = { applicationSlug: 'postgresql', fields: { ...server, sslMode: 'disable' } };
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const untilServed: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      // A new account, because one that has lost three workers within a minute has to wait.
      const account = await createAccount(stack);
      const attacker = createAttacker(stack, account);
      const id = await attacker.connect({ connection });
      const failing = attacker.execute(id, call);
      const worker = await workerConnectedTo(stack, silent.port);
      process.kill(worker, signal);
      await failing;
      const failedAt = performance.now();
      const next = attacker.execute(id, call);
      await workerConnectedTo(stack, silent.port, worker);
      untilServed.push(performance.now() - failedAt);
      await next;
      await removeAccount(stack, account);
    }
    const ms = median(untilServed);
    if (ms >= MAX_MS) process.exitCode = 1;
    console.log(
      `${signal}: a new worker has connected ${Math.round(ms)} ms after the failed call (${untilServed.map(Math.round).join(', ')})`,
    );
  }
} finally {
  await silent.close();
  await stop();
}
