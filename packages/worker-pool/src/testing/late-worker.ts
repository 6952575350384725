// A worker that becomes ready after four seconds, for part of which it needs the processor.
import { setTimeout as delay } from 'node:timers/promises';

await delay(4_000);
await import('./worker.ts');
