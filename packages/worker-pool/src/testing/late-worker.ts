// A worker that is ready after four seconds, of which it needs the processor for a part of one.
import { setTimeout as delay } from 'node:timers/promises';

await delay(4_000);
await import('./worker.ts');
