import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig, mongoConfigShape, natsConfigShape } from '@fairlead/service-kit/config';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { z } from 'zod';
import { createEventStream, eventsStream } from '../events/event-stream.ts';
import { eventDayCollection } from '../storage/event-day.collection.ts';
import { outboxCollection } from '../storage/outbox.collection.ts';
import { createOutboxRepository } from '../storage/outbox.repository.ts';
import { createCapture } from '../use-cases/capture-firings.ts';
import { startOutboxConfirmer } from '../workers/outbox-confirmer.ts';
import { firing } from './firings.ts';
import { ledgerCollection, ledgerOf, recordArrivals } from './pipeline-ledger.ts';

// A replica that a test may kill at any time. ROLE=record moves events from the stream to the ledger. ROLE=capture captures firings, prints
// the id of each acknowledged one, and confirms. ROLE=confirm only confirms.
const CALLERS = 8;
const config = loadConfig(
  z.object({ ...mongoConfigShape, ...natsConfigShape, ROLE: z.enum(['capture', 'confirm', 'record']) }),
  process.env,
);
const log = createLogger({ service: 'pipeline', level: 'silent' });
const store = await connectMongo({
  uri: config.MONGODB_URI,
  database: config.MONGODB_DATABASE,
  log,
  collections: [outboxCollection, eventDayCollection, ledgerCollection],
});
const isRecorder = config.ROLE === 'record';
const nats = await connectNats({
  url: config.NATS_URL,
  name: config.ROLE,
  log,
  streams: isRecorder ? [] : [eventsStream],
});

if (isRecorder) recordArrivals(nats, store);
else {
  const outbox = createOutboxRepository(store);
  const stream = createEventStream({ nats, log });
  const lease = createLease(store, 'outbox', 1_000);
  startOutboxConfirmer({
    outbox,
    stream,
    ledger: ledgerOf(store),
    lease,
    clock: systemClock,
    log,
    everyMs: 200,
  });
  if (config.ROLE === 'capture') {
    const capture = createCapture({ outbox, stream, clock: systemClock });
    const call = async (caller: number): Promise<void> => {
      for (let number = 0; ; number += 1) {
        const firingKey = `${process.pid}-${caller}-${number}`;
        const [result] = await capture.captureFirings([firing({ firingKey })]);
        process.stdout.write(`${result?.id ?? ''}\n`);
        await delay(5);
      }
    };
    for (let caller = 0; caller < CALLERS; caller += 1) void call(caller);
  }
}
setInterval(() => undefined, 60_000);
