// A separate process that makes majority writes of one document each, like a ledger without batching.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoopRequest } from '../requests.ts';

const [uri = ''] = process.argv.slice(2);
const client = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } });
await client.connect();
const writes = client.db('fairlead_bench').collection<{ _id: string; body: string }>('writes');
const body = 'x'.repeat(512);

handleWith(({ callers, durationMs }: LoopRequest) =>
  closedLoop(
    Array.from({ length: callers }, () => () => writes.insertOne({ _id: randomUUID(), body })),
    durationMs,
  ),
);
reportReady({});
