import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createHttpConnection, post, readHistory } from './support/api.ts';
import { killAtRandom } from './support/processes.ts';
import { isEverything } from './support/selection.ts';
import { startVendor } from './support/vendor.ts';

const stack = inject('stack');

const TOOLS = 'services/tools/src/main.ts';
const CALLS = isEverything ? 500 : 120;
const CALLERS = 16;
/** Number of answers between two kills. */
const ANSWERS_PER_KILL = 40;
/** Pause after a failed call: the next calls must reach a healthy replica. */
const PAUSE_MS = 300;

const executed = z.object({ historyId: z.int() });

it(
  'kill -9 of tools at random: every call that was answered, and every one that the vendor saw, has its row',
  { timeout: 600_000 },
  async () => {
    const vendor = await startVendor();
    const mongo = await MongoClient.connect(stack.mongodbUri);
    const answered = new Map<string, number>();
    const killing = killAtRandom(stack, TOOLS, { per: ANSWERS_PER_KILL, done: () => answered.size });
    try {
      const id = await createHttpConnection(vendor.url);
      const path = `/v1/tools/http-send-request/execute?connectionId=${id}`;
      let next = 0;
      const caller = async (): Promise<void> => {
        for (let number = (next += 1); number <= CALLS; number = next += 1) {
          await killing.next();
          const name = `call-${number}`;
          const { status, body } = await post(path, { fields: { method: 'POST', url: `/${name}` } });
          if (status === 200) answered.set(name, executed.parse(body).historyId);
          else await delay(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const kills = await killing.stop();
      await readHistory();

      const rows = await mongo
        .db('fairlead_tools')
        .collection<{ _id: number; fields: string }>('executions')
        .find({ accountId: stack.account.accountId, connectionId: id })
        .toArray();
      const recorded = new Map(rows.map(({ _id, fields }) => [_id, fields]));
      const missing = [...answered].filter(
        ([name, row]) => recorded.get(row)?.includes(`"/${name}"`) !== true,
      );
      const unseen = vendor.calls.filter(
        (call) => !rows.some(({ fields }) => fields.includes(`"${call.replace('POST ', '')}"`)),
      );
      console.log({ kills, answered: answered.size, seen: vendor.calls.length, rows: rows.length });
      expect({ missing, unseen }).toEqual({ missing: [], unseen: [] });
      expect(vendor.calls).toHaveLength(new Set(vendor.calls).size);
      expect(kills).toBeGreaterThan(0);
      expect(answered.size).toBeGreaterThan(0);
    } finally {
      await killing.stop();
      await mongo.close();
      vendor.close();
    }
  },
);
