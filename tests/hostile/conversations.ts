// `npm run hostile -- conversations --count 10000 [--seed 1] [--connector postgresql]`: starts a stack and makes this many calls of each
// connector against generated conversations. Exits with 1 if a process of the stack ended, or a response was neither 200 nor 429 (a call
// that waited too long for its connection).
import { parseArgs } from 'node:util';
import { createAttacker } from './support/attacker.ts';
import type { Attacker } from './support/attacker.ts';
import type { Conversations } from './support/peer.ts';
import { startHostileStack } from './support/hostile-stack.ts';
import { dialingConnectors, peerOf } from './support/peers.ts';
import { serviceProcesses } from './support/service-processes.ts';

/** Fewer than an account's workers accept, and than a connection may have in progress. */
const CALLERS = 30;
const CONNECTIONS = 4;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    connector: { type: 'string' },
  },
});
const count = Number(values.count);
const firstSeed = Number(values.seed);

const { stack, vendorUrl, stop } = await startHostileStack();
try {
  const attacker = createAttacker(stack);
  const processes = serviceProcesses(stack);
  for (const connector of await dialingConnectors()) {
    if (values.connector !== undefined && values.connector !== connector.slug) continue;
    const peer = await peerOf(connector)?.({ connector, vendorUrl, seed: firstSeed });
    if (peer === undefined) throw new Error(`${connector.slug} has no hostile peer.`);
    const running = processes.running();
    const startedAt = performance.now();
    const statuses = await converse(attacker, peer.conversations);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const exits = processes.running().filter((id) => !running.includes(id)).length;
    console.log(
      `${connector.slug}: ${count} conversations in ${seconds} s, ${exits} exits, responses`,
      statuses,
    );
    if (exits > 0 || (statuses['200'] ?? 0) + (statuses['429'] ?? 0) !== count) process.exitCode = 1;
    await peer.close();
  }
} finally {
  await stop();
}

/** Runs all conversations; returns the number of responses per status. */
async function converse(
  attacker: Attacker,
  conversations: Conversations,
): Promise<Readonly<Record<string, number>>> {
  const ids: number[] = [];
  const { connection, connected } = conversations;
  for (let at = 0; at < CONNECTIONS; at += 1) ids.push(await attacker.connect({ connection }));
  connected?.();
  const statuses: Record<string, number> = {};
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const status = await attacker.execute(ids[at % CONNECTIONS] ?? 0, conversations.call(firstSeed + at));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return statuses;
}
