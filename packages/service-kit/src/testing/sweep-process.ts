import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { loadConfig, mongoConfigShape } from '../config.ts';
import { connectMongo } from '../mongo/mongo.ts';
import { createClaims } from '../sweep/claims.ts';
import { startSweep } from '../sweep/sweep.ts';
import { createLogger } from '../telemetry/logger.ts';
import { systemTimers } from '../timers.ts';
import { DUE_PATH, jobCollection } from './due-jobs.ts';

// A process that works on jobs until it is killed: it settles those with even ids, and never finishes the others.
const config = loadConfig(z.object(mongoConfigShape), process.env);
const log = createLogger({ service: 'sweep', level: 'info' });
const mongo = await connectMongo({
  uri: config.MONGODB_URI,
  database: config.MONGODB_DATABASE,
  log,
  collections: [jobCollection],
});
const timers = systemTimers;
startSweep({
  name: 'jobs',
  claims: createClaims(mongo, jobCollection, DUE_PATH),
  work: async ({ document }) => {
    if (document._id % 2 === 1) await new Promise(() => undefined);
    return { at: null, set: { runs: ['process'] } };
  },
  perPartition: 100,
  inProgress: 100,
  claimMs: 2_000,
  clock: systemClock,
  timers,
  log,
});
setInterval(() => undefined, 60_000);
