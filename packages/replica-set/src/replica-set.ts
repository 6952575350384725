import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';

/** The name of every replica set that we start, for mongod's `--replSet`. */
export const REPLICA_SET = 'fairlead';

const PRIMARY_POLL_MS = 25;
const NOT_YET_INITIALIZED = 94;

/**
 * Makes the server the only member of its replica set; resolves once it accepts writes. `address` (host:port) is its address for this
 * process, `member` its address in the set; an address from an earlier run is replaced. Rejects when the signal aborts.
 */
export async function becomePrimary(o: {
  address: string;
  member: string;
  signal: AbortSignal;
}): Promise<void> {
  const client = new MongoClient(`mongodb://${o.address}/?directConnection=true`);
  try {
    await ensureReplicaSet(client, o.member);
    while (!(await isPrimary(client))) await delay(PRIMARY_POLL_MS, undefined, { signal: o.signal });
  } finally {
    await client.close();
  }
}

async function ensureReplicaSet(client: MongoClient, host: string): Promise<void> {
  const admin = client.db('admin');
  try {
    const answer = await admin.command({ replSetGetConfig: 1 });
    const config = answer['config'] as ReplicaSetConfig; // the server's own document, of the shape its manual gives
    if (config.members.length === 1 && config.members[0]?.host === host) return;
    const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] };
    // Forced, because the node is not in the set under its new address, so no majority could agree.
    await admin.command({ replSetReconfig: moved, force: true });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED)) throw error;
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
  }
}

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

async function isPrimary(client: MongoClient): Promise<boolean> {
  const hello = await client.db('admin').command({ hello: 1 });
  return hello['isWritablePrimary'] === true;
}
