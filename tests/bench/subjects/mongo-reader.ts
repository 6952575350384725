// A separate process that reads one connection directly from the database, like the connections service.
import { MongoClient } from 'mongodb';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoopRequest } from '../requests.ts';

const [uri = '', accountId = '', id = ''] = process.argv.slice(2);
const client = new MongoClient(uri, { readConcern: { level: 'majority' } });
await client.connect();
const connections = client.db('fairlead_connections').collection<{ _id: number }>('connections');

handleWith(({ callers, durationMs }: LoopRequest) => {
  const read = async (): Promise<void> => {
    const found = await connections.findOne({ accountId, _id: Number(id) });
    if (found === null) throw new Error('The connection is gone.');
  };
  return closedLoop(
    Array.from({ length: callers }, () => read),
    durationMs,
  );
});
reportReady({});
