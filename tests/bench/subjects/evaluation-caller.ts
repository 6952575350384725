// A process with evaluation workers, like a service: checks a value of 3 KiB against a cached schema.
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { schemaProgram } from '@fairlead/evaluation/json-schema/schema-program';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoopRequest } from '../requests.ts';

const workers = createEvaluationWorkers({
  log: createLogger({ service: 'bench', level: 'info' }),
  clock: systemClock,
});
const program = schemaProgram({
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, note: { type: 'string' } },
  required: ['name'],
});
const value = { name: 'Ada', note: 'x'.repeat(3_000) };
const { signal } = new AbortController();

async function check(): Promise<void> {
  const { kind } = await workers.evaluate(
    'bench',
    program,
    { value, root: 'fields' },
    { signal, timeoutMs: 10_000 },
  );
  if (kind !== 'result') throw new Error(`The check ended as ${kind}.`);
}

handleWith(({ callers, durationMs }: LoopRequest) =>
  closedLoop(
    Array.from({ length: callers }, () => check),
    durationMs,
  ),
);
reportReady({});
