import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { becomePrimary } from '@fairlead/replica-set/replica-set';

const USAGE = `usage: init-replica-set --mongodb <host:port> [--member <host:port>] [--minutes <n>]
  Makes the mongod, which runs with --replSet fairlead, the only member of its replica set, and waits until it takes writes.
  --member is the address by which clients reach it (default: the same). Gives up after 5 minutes.
`;

const POLL_MS = 1_000;

/** `init-replica-set`: waits for a mongod, and turns it into a replica set with one member unless it is one. */
export async function initReplicaSet(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { mongodb: text, member: text, minutes: text } });
  const address = values.mongodb;
  if (address === undefined) throw new Error(`--mongodb: required, but not given\n${USAGE}`);
  const minutes = Number(values.minutes ?? '5');
  if (!(minutes > 0)) throw new Error(`--minutes: expected a number above 0\n${USAGE}`);
  const signal = AbortSignal.timeout(minutes * 60_000);
  for (;;) {
    try {
      await becomePrimary({ address, member: values.member ?? address, signal });
      process.stdout.write(`${address} takes writes\n`);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      process.stderr.write(`${address}: ${error instanceof Error ? error.message : String(error)}\n`);
      await delay(POLL_MS);
    }
  }
}
