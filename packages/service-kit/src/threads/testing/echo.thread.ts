import { serveThread } from '../serve-thread.ts';

/** Answers each job with itself and the number of earlier jobs in this thread; throws for `throw`, and ends for `end`. */
let served = 0;
serveThread((job) => {
  if (job === 'throw') throw new Error('A defect.');
  if (job === 'end') process.exit(1);
  served += 1;
  return { answer: [job, served - 1], handedOver: job instanceof Uint8Array ? [job] : [] };
});
