import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { streamManager } from '@fairlead/service-kit/testing/nats';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { eventsStream } from '../events/event-stream.ts';
import { eventDayCollection } from '../storage/event-day.collection.ts';
import { outboxCollection } from '../storage/outbox.collection.ts';
import { ledgerCollection } from '../testing/pipeline-ledger.ts';

const KILLS = 8;
/** Minimum acknowledged firings between two kills. */
const FIRINGS_A_KILL = 40;
const LONG = { timeout: 90_000, interval: 50 };
const script = fileURLToPath(new URL('../testing/pipeline-process.ts', import.meta.url));

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [outboxCollection, eventDayCollection, ledgerCollection]);
});
afterAll(() => store.drop());

type Role = 'capture' | 'confirm' | 'record';

/** Processes of any role, and the ids acknowledged by capturing ones. */
function replicas(natsUrl: string) {
  const acknowledged = new Set<string>();
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const start = (role: Role): ChildProcess => {
    const env = {
      ...process.env,
      MONGODB_URI: inject('mongodbUri'),
      MONGODB_DATABASE: store.db.databaseName,
      NATS_URL: natsUrl,
      ROLE: role,
    };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    let rest = '';
    child.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n');
      // The caller has not read a line that was cut off by the end of the process.
      rest = lines.pop() ?? '';
      for (const id of lines) acknowledged.add(id);
    });
    return child;
  };
  const kill = (child: ChildProcess): void => {
    running.delete(child);
    child.kill('SIGKILL');
  };
  return { acknowledged, start, kill };
}

test('replicas that are killed at any time, a nats-server that is killed, a stream that is deleted: nothing is lost', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-killed-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
  let server = await startNatsServer({ dataDirectory });
  onTestFinished(() => server.stop());
  const { acknowledged, start, kill } = replicas(server.url);
  const slots = (['capture', 'capture', 'record', 'record'] as const).map((role) => ({
    role,
    child: start(role),
  }));
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size - before, LONG).toBeGreaterThan(FIRINGS_A_KILL);
    const slot = slots[kills % slots.length];
    if (slot === undefined) continue;
    kill(slot.child);
    slot.child = start(slot.role);
    if (kills === 2) {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      server = await startNatsServer({ dataDirectory, port: server.port });
    }
    if (kills === 5) {
      const { streams } = await streamManager(server.url);
      await streams.delete(eventsStream.name);
    }
  }
  for (const { role, child } of slots) if (role === 'capture') kill(child);
  start('confirm');
  const outbox = store.collection(outboxCollection);
  await expect.poll(() => outbox.countDocuments({ pendingSince: { $exists: true } }), LONG).toBe(0);

  const ledger = await store.collection(ledgerCollection).find().toArray();
  const recorded = new Map(ledger.map((event) => [event._id, event]));
  const lost = [...acknowledged].filter((id) => !recorded.has(id));
  const duplicates = ledger.reduce((sum, { arrivals }) => sum + arrivals - 1, 0);
  console.log({ acknowledged: acknowledged.size, recorded: ledger.length, lost: lost.length, duplicates });
  expect(lost).toEqual([]);
  expect(ledger.every(({ bodies }) => bodies.length === 1)).toBe(true);
  // Each event in the ledger was captured: its key proves it.
  expect((await outbox.find().toArray()).flatMap(({ eventIds }) => eventIds)).toHaveLength(ledger.length);
}, 300_000);
