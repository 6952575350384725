// A separate process that does the minimum of an execution with effects: a row before the call, the call, and the row's outcome.
import { MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoopRequest } from '../requests.ts';

const [uri = '', vendorUrl = ''] = process.argv.slice(2);
const client = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } });
await client.connect();
const rows = client.db('fairlead_bench').collection<{ _id: string; outcome: string }>('direct_calls');
await rows.deleteMany({});
const vendor = new Pool(vendorUrl);
let calls = 0;

async function call(): Promise<void> {
  const _id = `${process.pid}-${(calls += 1)}`;
  await rows.insertOne({ _id, outcome: '' });
  const answer = await vendor.request({ method: 'POST', path: '/', body: '{}' });
  await rows.updateOne({ _id }, { $set: { outcome: await answer.body.text() } });
}

handleWith(({ callers, durationMs }: LoopRequest) =>
  closedLoop(
    Array.from({ length: callers }, () => call),
    durationMs,
  ),
);
reportReady({});
