import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, it, onTestFinished } from 'vitest';
import { createImportWorkers } from './import-workers.ts';
import type { OpenApiJob } from './import-job.ts';
import { CONTACTS } from './testing/documents.ts';

const JOB: OpenApiJob = { kind: 'openapi', slug: 'acme', field: 'document' };
const { signal } = new AbortController();

/** A document whose schemas contain each other; it takes seconds to read. */
function costlyDocument(): Buffer {
  const names = Array.from({ length: 60 }, (_, at) => `S${String(at)}`);
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const properties = Object.fromEntries(names.map((name) => [name, to(name)]));
  const operation = (name: string) => ({
    requestBody: { content: { 'application/json': { schema: to(name) } } },
    responses: { 200: { content: { 'application/json': { schema: to(name) } } } },
  });
  return Buffer.from(
    JSON.stringify({
      ...CONTACTS,
      components: {
        schemas: Object.fromEntries(names.map((name) => [name, { type: 'object', properties }])),
      },
      paths: Object.fromEntries(names.map((name) => [`/${name}`, { post: operation(name) }])),
    }),
  );
}

it('an import that does not end in time, but used little processor time, may be tried again', async () => {
  // On a busy machine, a worker may get no CPU for long.
  const poolLimits = { startMs: 60_000 };
  const workers = createImportWorkers({ log: captureLog().log, poolLimits });
  onTestFinished(() => workers.close());
  const contacts = Buffer.from(JSON.stringify(CONTACTS));
  // A worker that has started: a call that has not been sent is refused.
  const first = await workers.run('a', JOB, contacts, { signal, timeoutMs: 60_000 });
  expect(first).toMatchObject({ kind: 'imported' });
  const end = await workers.run('a', JOB, costlyDocument(), { signal, timeoutMs: 200 });
  expect(end).toEqual({ kind: 'overloaded' });
});
